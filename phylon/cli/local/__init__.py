"""The whole platform on one machine, as `phylon up` runs it: its home directory, its Redis, and its processes."""
