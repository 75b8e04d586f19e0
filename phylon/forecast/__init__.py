"""What a spec will need before it runs: sizes of networks, memory of a population, advice on its size."""
