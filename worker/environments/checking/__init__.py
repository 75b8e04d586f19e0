"""What an environment really does, tried before a population is trained on it."""
