"""Loggers: what a run reports, handed on to another program while it trains.

logger.py       what a logger is; plug-ins have the same form
following.py    hands the events of a run's spool to loggers, each once, also over interruptions
births.py       the lineage as the rows of a table
tensorboard.py  event files
wandb.py        Weights & Biases
mlflow.py       MLflow
"""

from functools import cache

from phylon.loggers.logger import Logger
from phylon.registry.entry_points import Registry, load_registry


@cache
def loggers() -> Registry[Logger]:
    """Ours, and those of plug-in packages: the entry points of the group `phylon.loggers`."""
    return load_registry("phylon.loggers", Logger)
