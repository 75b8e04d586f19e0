"""Why a run, or several pooled, came to their results. What is computed is in `phylon.explain`."""
