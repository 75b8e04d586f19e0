"""A checkpoint as a trainer writes it, as far as the service looks into one."""

import io

import numpy as np

KERNEL = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
"""Of four members."""


def checkpoint_file() -> bytes:
    """Member 2 is the best and member 3 diverged; the replay is not to be taken."""
    file = io.BytesIO()
    np.savez(
        file,
        allow_pickle=False,
        **{
            "population/policy/kernel": KERNEL,
            "population/steps": np.arange(4, dtype=np.int32),
            "fitness": np.array([1, 2, 5, np.nan], np.float32),
            "diverged": np.array([False, False, False, True]),
            "lineage/open": np.array([0, 4, 2, 3]),
            "replay/reward": np.zeros((4, 1000), np.float32),
        },
    )
    return file.getvalue()
