"""The hyper-parameter schedule that a member's ancestors lived through: what a population found, rather than one value.

It is a population method of the spec: `population.method: {name: schedule, schedule: …}` trains fresh members along it.
"""

import numpy as np
import yaml

from phylon.contract.lineage import LineageSpan, RunLineage, Schedule, ScheduleValues, Tuned
from phylon.lineage.ancestry import ancestry
from phylon.spec.schedule_method import ScheduleEntry, ScheduleSpec


class NothingTuned(ValueError):
    """There is no schedule where every hyper-parameter is a fixed number."""

    def __init__(self) -> None:
        super().__init__("this run has no schedule: every hyper-parameter of its spec is fixed, or none is known")


def schedule_of(lineage: RunLineage, span: int) -> ScheduleSpec:
    """The tuned values along the ancestry of a span, with an entry wherever one changed. Raises `NothingTuned`."""
    entries: list[ScheduleEntry] = []
    for ancestor in ancestry(lineage, span):
        values = _values(ancestor, lineage.tuned)
        if not values or (entries and entries[-1].values == values):
            continue
        # Weights that were drawn late (CEM-RL) have no past, but a schedule begins at the beginning.
        step = ancestor.start_step if entries else 0
        if entries and entries[-1].step == step:  # values that never came into force
            entries.pop()
        entries.append(ScheduleEntry(step=step, values=values))
    if not entries:
        raise NothingTuned
    return ScheduleSpec(name="schedule", schedule=tuple(entries))


def read_schedule(lineage: RunLineage, span: LineageSpan) -> Schedule:
    """As the service answers it. Raises `NothingTuned`."""
    found = schedule_of(lineage, span.id)
    entries = [ScheduleValues(step=entry.step, values=entry.values) for entry in found.schedule]
    named = {name for entry in entries for name in entry.values}
    return Schedule(
        span=span.id,
        member=span.slot,
        entries=entries,
        read={each.name: each.read for each in lineage.tuned if each.name in named},
        yaml=schedule_yaml(found),
    )


def schedule_yaml(schedule: ScheduleSpec) -> str:
    """As the value of `population.method` in a spec, one entry per line."""
    lines = [
        yaml.safe_dump(entry.model_dump(), default_flow_style=True, sort_keys=False, width=10_000).rstrip()
        for entry in schedule.schedule
    ]
    return f"name: {schedule.name}\nschedule:\n" + "".join(f"- {line}\n" for line in lines)


def _values(span: LineageSpan, tuned: list[Tuned]) -> dict[str, float | str]:
    return {each.name: spelled(span.hyperparams[each.name], each) for each in tuned if each.name in span.hyperparams}


def spelled(value: float, tuned: Tuned | None) -> float | str:
    """As a spec would say it: names instead of their numbers, and no digits that only 64 bits need.

    Trainers compute with 32 bits, where 0.1 is 0.10000000149011612; the short form is read as the very same number.
    """
    if tuned and tuned.names is not None and value in range(len(tuned.names)):
        return tuned.names[int(value)]
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if float(single) == value else value
