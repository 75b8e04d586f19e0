"""Policies of runs: made of checkpoints, exported as StableHLO, and played."""
