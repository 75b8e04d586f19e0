"""The values of a spec and the newest values of metrics, as rows that the table of experiments can filter and sort."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import delete
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from phylon.backend.kit.columns import without_nul
from phylon.backend.models import ExperimentValue, Run
from phylon.backend.models.experiment_value import LONGEST_TEXT
from phylon.contract.events import Metrics
from phylon.query.fields import METRIC_PREFIX, SPEC_PREFIX

_LONGEST_PATH = 250


def of_spec(spec: Mapping[str, Any]) -> list[ExperimentValue]:
    """One for each value that is not a mapping; those that are null are left out."""
    return [
        ExperimentValue(path=path, replicate=0, number=_number(value), text=_text(value))
        for path, value in _leaves(spec, SPEC_PREFIX.removesuffix("."))
        if len(path) <= _LONGEST_PATH
    ]


def note_metrics(session: Session, run: Run, newest_last: list[Metrics]) -> None:
    """Keeps the newest value of each metric, the mean over the members that have one."""
    found: dict[str, float] = {}
    for event in reversed(newest_last):
        for name, frame in event.frames.items():
            path = METRIC_PREFIX + name
            finite = [value for value in frame if math.isfinite(value)] if path not in found else []
            if finite and len(path) <= _LONGEST_PATH:
                found[path] = math.fsum(finite) / len(finite)
    if not found:
        return
    insert = (postgresql if session.get_bind().dialect.name == "postgresql" else sqlite).insert(ExperimentValue)
    key = ("path", "experiment_id", "replicate")
    session.execute(
        insert.on_conflict_do_update(index_elements=list(key), set_={"number": insert.excluded.number}),
        [
            {
                "path": path,
                "experiment_id": run.experiment_id,
                "replicate": run.replicate,
                "number": value,
                "text": None,
            }
            for path, value in sorted(found.items())
        ],
    )


def forget_metrics(session: Session, run: Run) -> None:
    """Its history was cut back; what is reported again is kept again."""
    session.execute(
        delete(ExperimentValue).where(
            ExperimentValue.experiment_id == run.experiment_id,
            ExperimentValue.replicate == run.replicate,
            ExperimentValue.path.startswith(METRIC_PREFIX),
        )
    )


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, part in value.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _leaves(part, f"{path}.{key}")
    elif value is not None:
        yield path, value


def _number(value: Any) -> float | None:
    """Of a flag, 1 or 0."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _text(value: Any) -> str:
    return without_nul(value if isinstance(value, str) else json.dumps(value))[:LONGEST_TEXT]
