"""The training engine and the supervisor that runs it."""
