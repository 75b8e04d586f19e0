"""What differs between the specs of arms, and nothing else."""

import json
from typing import Any, cast

from phylon.backend.comparisons.arms import Subject
from phylon.backend.models import Experiment
from phylon.contract.comparisons import ConfigDifference

_NAMES = frozenset({"name", "description", "seed", "version", "kind", "settings"})
"""What distinguishes experiments without being a setting of ours: another seed is no other method, and what programs
elsewhere call their settings cannot be compared with what we call them."""

_ABSENT = object()
_UNKNOWN = object()


def differences(subjects: list[Subject], tasks: list[str]) -> list[ConfigDifference]:
    """By path of the resolved specs, in their order. On the common tasks, or all where there are none."""
    chosen = [_experiments(subject, tasks) for subject in subjects]
    flat = [[_flatten(experiment.spec) for experiment in experiments] for experiments in chosen]
    absent = [_absent(experiments) for experiments in chosen]
    paths = dict.fromkeys(path for specs in flat for spec in specs for path in spec)
    found: list[ConfigDifference] = []
    for path in paths:
        values = [_value([spec.get(path, none) for spec in specs]) for specs, none in zip(flat, absent, strict=True)]
        if len({_text(value) for value in values if value is not _UNKNOWN}) > 1:
            shown = [None if value is _ABSENT or value is _UNKNOWN else value for value in values]
            found.append(ConfigDifference(path=path, values=shown))
    return found


def _absent(experiments: list[Experiment]) -> object:
    """What a path means that a spec does not have: nobody knows how experiments from elsewhere were set."""
    return _UNKNOWN if any(each.import_format is not None for each in experiments) else _ABSENT


def _experiments(subject: Subject, tasks: list[str]) -> list[Experiment]:
    return subject.on(tasks) or list(subject.tasks.values())


def _value(values: list[Any]) -> Any:
    texts = dict.fromkeys(map(_text, values))
    return values[0] if len(texts) == 1 else list(texts)


def _text(value: Any) -> str:
    return "absent" if value is _ABSENT or value is _UNKNOWN else json.dumps(value, sort_keys=True)


def _flatten(spec: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Leaves by dotted path; a list is a leaf."""
    leaves: dict[str, Any] = {}
    for name, value in spec.items():
        if not prefix and name in _NAMES:
            continue
        if isinstance(value, dict) and value:
            leaves |= _flatten(cast(dict[str, Any], value), f"{prefix}{name}.")
        else:
            leaves[f"{prefix}{name}"] = value
    return leaves
