"""Scripts that measure and write their own tables to docs/benchmarks/. Numbers in the documentation come from here."""
