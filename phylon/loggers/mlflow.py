"""MLflow, by its own package: `pip install 'phylon[mlflow]'`. Its settings are its own (MLFLOW_TRACKING_URI,
MLFLOW_EXPERIMENT_NAME); without them it writes into a database in the working directory. One run per population,
members as series, lineage as a table (lineage.csv)."""

import csv
import io
from importlib import import_module
from typing import Any

from phylon.contract.events import Lineage, Metrics, RunEvent
from phylon.loggers.births import COLUMNS, Births
from phylon.loggers.logger import LoggedRun, Logger, LoggerUnavailable, Record, member_name

RUN_ID_FILE = "mlflow-run.txt"


def open_record(run: LoggedRun) -> Record:
    try:
        entities: Any = import_module("mlflow.entities")
        tracking: Any = import_module("mlflow.tracking")
    except ImportError:
        raise LoggerUnavailable("MLflow needs mlflow, not installed here; run: pip install 'phylon[mlflow]'") from None
    client = tracking.MlflowClient()
    run_id, births = _open_run(client, run), Births(run.folder)

    def record(event: RunEvent) -> None:
        if isinstance(event, Metrics):
            at = int((run.began + event.wall) * 1000)
            metrics = [
                entities.Metric(name, value, at, event.step) for name, value in _series(event, run.population_size)
            ]
            client.log_batch(run_id, metrics=metrics)
        elif isinstance(event, Lineage):
            births.add(event)
            client.log_text(run_id, _as_csv(births), "lineage.csv")

    def restart(step: int) -> None:
        """Metrics that follow are logged at the same steps again: a record cannot forget."""
        births.forget_after(step)

    def close() -> None:
        client.set_terminated(run_id)

    return Record(record, restart, close, f"mlflow ui --backend-store-uri {tracking.get_tracking_uri()}")


def _open_run(client: Any, run: LoggedRun) -> str:
    """Its number; the one that this directory has is gone on with."""
    file = run.folder / RUN_ID_FILE
    if file.exists():
        run_id = file.read_text(encoding="utf-8").strip()
        client.update_run(run_id, status="RUNNING")
        return run_id
    name = "phylon"
    found = client.get_experiment_by_name(name)
    experiment = found.experiment_id if found else client.create_experiment(name)
    run_id = client.create_run(experiment, run_name=run.name).info.run_id
    client.log_param(run_id, "seed", run.seed)
    client.log_dict(run_id, run.spec, "spec.json")
    file.write_text(run_id, encoding="utf-8")
    return run_id


def _as_csv(births: Births) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *births.rows()])
    return text.getvalue()


def _series(event: Metrics, population_size: int) -> list[tuple[str, float]]:
    """A value per member under the name of the metric and the member."""
    return [
        (name if len(values) == 1 else f"{name}/{member_name(member, population_size)}", value)
        for name, values in event.frames.items()
        for member, value in enumerate(values)
    ]


MLFLOW = Logger("mlflow", "A run of MLflow, with its own settings", open_record)
