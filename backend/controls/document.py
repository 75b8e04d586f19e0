"""The group of controls, as a document that anyone could have written.

All arms have the size, budget and replicates of what they control, so that each spends as much and its winner is one of
as many. Their seeds are others, and what founders were given is left out: it was part of the tuning.
"""

from typing import Any

from phylon.contract.controls import ControlKind
from phylon.contract.lineage import Schedule
from phylon.spec import ExperimentSpec, spec_to_json
from phylon.spec.group_limits import LONGEST_GROUP_NAME

FRESH_SEED = 500_009
"""Far from the seeds of replicates, which follow each other."""


def control_group(spec: ExperimentSpec, name: str, run_id: int, schedule: Schedule) -> dict[str, Any]:
    base = spec_to_json(spec)
    for field in ("version", "kind", "name", "description"):
        del base[field]
    base["seed"] = (spec.seed + FRESH_SEED) % 2**31
    base["population"]["founders"] = {}
    entries = [entry.model_dump(mode="json") for entry in schedule.entries]
    final = {name: value for entry in schedule.entries for name, value in entry.values.items()}
    methods: dict[ControlKind, dict[str, Any]] = {
        ControlKind.SCHEDULE: {"name": "schedule", "schedule": entries},
        ControlKind.FIXED: {"name": "schedule", "schedule": [{"step": 0, "values": final}]},
        ControlKind.RANDOM_SEARCH: {"name": "random_search"},
    }
    suffix = "-controls"
    return {
        "version": 2,
        "kind": "group",
        "of": "arms",
        "name": f"{name[: LONGEST_GROUP_NAME - len(suffix)]}{suffix}",
        "description": f"Did tuning help? Controls of run {run_id} of {name}.",
        "base": base,
        "experiments": {kind.value: {"population.method": method} for kind, method in methods.items()},
    }
