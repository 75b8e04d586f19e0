"""A lineage from Ray Tune's mutation logs, so that runs of the past can be drawn and followed.

The logs hold less than a lineage. Not known, hence empty: fitness, ranks, weights, seconds, and the values of
founders that nobody cloned. Derived: steps are the clones' iterations; bounds are the smallest and largest value seen;
whether a value was perturbed or resampled is not recorded, so every change counts as perturbed; the run is taken to end
one interval after its last exploit.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from phylon.contract.lineage import RunLineage
from phylon.lineage.ray_log import Exploit, RayLogInvalid, read
from phylon.lineage.ray_values import Columns, columns_of

_NUMBERED = re.compile(r"\d+")
_MOST_MEMBERS = 4096
_FACTORS = (0.8, 1.2)
"""Ray's own, which are recognised among other changes."""


def lineage_of_ray(files: Mapping[str, str]) -> RunLineage:
    """From the text of the files by name. Raises `RayLogInvalid`."""
    exploits = read(files)
    if not exploits:
        raise RayLogInvalid("the files hold no exploit: there is no lineage to draw")
    slots = _slots(exploits)
    columns = columns_of([config for exploit in exploits for config in (exploit.old, exploit.new)])
    size = max(slots.values()) + 1
    spans: list[dict[str, Any]] = [_founder(slot, slot, columns) for slot in range(size)]
    lives_in = dict(enumerate(spans))
    for batch in _simultaneous(exploits):
        before = dict(lives_in)
        for exploit in batch:
            parent, replaced = before[slots[exploit.clone]], before[slots[exploit.target]]
            if not parent["hyperparams"]:
                parent["hyperparams"] = columns.values(exploit.old)
            step = max(exploit.clone_iteration, parent["start_step"], replaced["start_step"])
            replaced["end_step"] = step
            child = _child(len(spans), slots[exploit.target], parent["id"], step, exploit, columns)
            spans.append(child)
            lives_in[child["slot"]] = child
    return RunLineage.model_validate(
        {
            "population_size": size,
            "end_step": _end(sorted({span["start_step"] for span in spans})),
            "tuned": columns.tuned,
            "spans": spans,
        }
    )


def _end(steps: Sequence[int]) -> int:
    gaps = [later - earlier for earlier, later in pairwise(steps)]
    return steps[-1] + int(median(gaps or [1]))


def _slots(exploits: Sequence[Exploit]) -> dict[str, int]:
    """The number with which every tag of Ray begins, if it distinguishes trials; else places in order of appearance."""
    tags = list(dict.fromkeys(tag for exploit in exploits for tag in (exploit.clone, exploit.target)))
    numbers = [int(found.group()) for tag in tags if (found := _NUMBERED.match(tag))]
    if len(set(numbers)) == len(tags) and max(numbers) < _MOST_MEMBERS:
        return dict(zip(tags, numbers, strict=True))
    if len(tags) > _MOST_MEMBERS:
        raise RayLogInvalid(f"the files name {len(tags)} trials; at most {_MOST_MEMBERS} can be drawn")
    return {tag: slot for slot, tag in enumerate(tags)}


def _simultaneous(exploits: Sequence[Exploit]) -> Iterator[list[Exploit]]:
    """Exploits of one iteration were decided together: each clones who lived before any of them."""
    for _, group in groupby(exploits, key=lambda exploit: exploit.target_iteration):
        batch: list[Exploit] = []
        for exploit in group:
            if exploit.target in {each.target for each in batch}:
                yield batch
                batch = []
            batch.append(exploit)
        yield batch


def _founder(id: int, slot: int, columns: Columns) -> dict[str, Any]:
    return _span(id, slot) | {"operator": "founder", "changes": dict.fromkeys(columns.tuned_names, "draw")}


def _child(id: int, slot: int, parent: int, step: int, exploit: Exploit, columns: Columns) -> dict[str, Any]:
    old, new = columns.values(exploit.old), columns.values(exploit.new)
    changes = {name: _change(old.get(name), new.get(name)) for name in columns.tuned_names}
    return _span(id, slot) | {
        "parent": parent,
        "operator": "copy" if set(changes.values()) <= {"inherit"} else "perturb",
        "changes": changes,
        "hyperparams_before": old,
        "hyperparams": new,
        "start_step": step,
    }


def _span(id: int, slot: int) -> dict[str, Any]:
    return {
        "id": id,
        "slot": slot,
        "parent": None,
        "hyperparams_before": None,
        "hyperparams": {},
        "fitness": None,
        "parent_fitness": None,
        "rank": None,
        "weights": "",
        "start_step": 0,
        "end_step": None,
        "start_wall": 0.0,
    }


def _change(old: float | None, new: float | None) -> str:
    if old == new:
        return "inherit"
    for factor in _FACTORS:
        if old and new is not None and abs(new / old - factor) < 1e-6:
            return f"x{factor}"
    return "changed"
