"""Weights & Biases, by its own package: `pip install 'phylon[wandb]'`. Its settings are its own (WANDB_PROJECT,
WANDB_MODE=offline, …). One run per population, members as series, lineage as a table."""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

from phylon.contract.events import Lineage, Metrics, RunEvent
from phylon.loggers.births import COLUMNS, Births
from phylon.loggers.logger import LoggedRun, Logger, LoggerUnavailable, Record, member_name

STEP = "env_steps"


def open_record(run: LoggedRun) -> Record:
    try:
        wandb: Any = import_module("wandb")
    except ImportError:
        raise LoggerUnavailable(
            "Weights & Biases needs wandb, which is not installed here; run: pip install 'phylon[wandb]'"
        ) from None
    # The same name whenever this directory is taken up, so that the record goes on; another directory is another run.
    identity = hashlib.sha256(f"{run.folder.resolve()} {run.began}".encode()).hexdigest()[:16]
    opened = wandb.init(
        name=run.name,
        id=identity,
        resume="allow",
        dir=str(run.folder),
        config={"spec": run.spec, "seed": run.seed},
        settings=wandb.Settings(silent=True, console="off"),
    )
    opened.define_metric(STEP)
    opened.define_metric("*", step_metric=STEP)
    births = Births(run.folder)

    def record(event: RunEvent) -> None:
        if isinstance(event, Metrics):
            opened.log({STEP: event.step, "wall_seconds": event.wall, **_series(event, run.population_size)})
        elif isinstance(event, Lineage):
            births.add(event)
            opened.log({STEP: event.step, "lineage": wandb.Table(columns=COLUMNS, data=births.rows())})

    def restart(step: int) -> None:
        """Metrics that follow are logged at the same steps again: a record cannot forget."""
        births.forget_after(step)

    def close() -> None:
        opened.finish()

    where = f"wandb sync {Path(opened.dir).parent}" if opened.offline else opened.url
    return Record(record, restart, close, where)


def _series(event: Metrics, population_size: int) -> dict[str, float]:
    """A value per member under the name of the metric and the member."""
    found: dict[str, float] = {}
    for name, values in event.frames.items():
        if len(values) == 1:
            found[name] = values[0]
        else:
            found |= {f"{name}/{member_name(member, population_size)}": value for member, value in enumerate(values)}
    return found


WANDB = Logger("wandb", "A run of Weights & Biases, with its own settings", open_record)
