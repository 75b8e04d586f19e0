"""The trainer process: `python -m phylon.worker.training RUN_DIR` trains one population."""
