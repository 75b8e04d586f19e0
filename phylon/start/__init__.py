"""What founders of a run begin with: members of other runs, taken from checkpoints or exported policies.

It is copied into the run's own directory before training (`start.npz`), so nothing that happens to its source
changes the run, and a run that has to begin again begins with the same.
"""
