"""Pictures of a group's experiments, as PNG files. Needs Matplotlib, which comes with the extra `worker`."""
