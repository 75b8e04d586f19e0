"""Specs that are small enough to run many times, and what a run left behind, in a form that can be compared."""

import copy
from typing import Any, NamedTuple

import numpy as np

from phylon import Client

SPEC: dict[str, Any] = {
    "version": 1,
    "name": "integration",
    "kind": "training",
    "seed": 7,
    "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
    "algorithm": {
        "name": "td3",
        "batch_size": 16,
        "network": {"hidden": [8, 8]},
        "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]},
        "discount": {"uniform": [0.9, 0.99]},
    },
    "population": {"size": 4, "method": {"name": "pbt", "interval": 400}},
    "replay": {"capacity": 4000, "ratio": 1.0, "warmup": 200},
    "budget": {"env_steps": 2000},
    "evaluation": {"interval": 200, "episodes": 1, "final": 2},
    "metrics": {"interval": 100},
    "checkpoint": {"interval": 400},
    "execution": {"strategy": "vectorized"},
}
WALL_CLOCK = ("speed/", "time/")
"""Metrics that are never the same twice."""


class History(NamedTuple):
    """Everything that a run's results are made of, without what the clock has put into it."""

    frames: dict[str, tuple[list[int], list[list[float]]]]
    lineage: list[dict[str, Any]]
    outcome: dict[str, Any]


def make_spec(**changes: Any) -> dict[str, Any]:
    """The small spec, with fields replaced; `__` goes down a level: `budget__env_steps=4000`."""
    spec = copy.deepcopy(SPEC)
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = spec
        for parent in parents:
            place = place[parent]
        place[last] = value
    return spec


def read_history(client: Client, run_id: int) -> History:
    """Reads a finished run over the API, and checks that its events are whole: numbered without gap or repetition."""
    events = [event for event in client.watch(run_id) if hasattr(event, "seq") and hasattr(event, "kind")]
    assert [event.seq for event in events] == list(range(len(events)))
    assert client.run(run_id).last_seq == len(events) - 1

    frames: dict[str, tuple[list[int], list[list[float]]]] = {}
    for name, series in client.metrics(run_id).items():
        assert np.all(np.diff(series.steps) > 0), f"{name} has a tick twice: {series.steps}"
        if not name.startswith(WALL_CLOCK):
            # NaN (no episode has ended yet) equals itself here
            values = np.nan_to_num(series.values, nan=1e30)
            frames[name] = (series.steps.tolist(), values.tolist())
    lineage = [span.model_dump(exclude={"start_wall"}) for span in client.lineage(run_id).spans]
    return History(frames, lineage, events[-1].model_dump(exclude={"seq", "wall"}))
