"""The trainer process: `python -m worker.training RUN_DIR` trains one population. `run_directory` is free of JAX."""
