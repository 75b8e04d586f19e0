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
