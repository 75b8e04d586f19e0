"""What the service says about a spec before it is submitted."""

from typing import Any

from phylon.contract.base import ReadModel, Request
from phylon.spec.problems import Note, Problem


class SpecText(Request):
    yaml: str


class Forecast(ReadModel):
    """What the experiment, or all those of a group, will ask for."""

    experiments: int | None
    """How many a group has; none for a single experiment."""
    members: int
    """Of one population, the largest."""
    runs: int
    total_env_steps: int
    """Of all members of all runs."""
    replay_bytes: int
    """Memory that one run's replay takes, the largest."""
    checkpoint_bytes: int
    """Of one checkpoint, the largest."""
    checkpoints_kept: int
    """By one run at the same time, at most."""
    disk_bytes: int
    """Of the checkpoints of all runs, at most."""


class SpecSchema(ReadModel):
    """What a spec may say, for a form or an editor."""

    definition: dict[str, Any]
    """JSON schema of a complete experiment, with every algorithm and method that the service knows."""
    short_forms: dict[str, str]
    """By section: the field that a text or a number in its place means."""


class PlannedExperiment(ReadModel):
    """One experiment of a group or a sweep."""

    name: str
    changes: dict[str, Any]
    """What is different in it from the base, by dotted path."""
    runs: int


class SpecReport(ReadModel):
    valid: bool
    problems: list[Problem]
    notes: list[Note]
    """What will differ from what was written."""
    spec: dict[str, Any] | None
    """The experiment or runtime study with every default; none for a group."""
    resolved: str | None
    """The same as YAML: what will really run. Of a group, one YAML document per experiment."""
    forecast: Forecast | None
    """None for a runtime study, which trains nothing."""
    experiments: list[PlannedExperiment] | None
    """All that a group or a sweep becomes; none for anything else."""
