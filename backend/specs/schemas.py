"""What the service says about a spec before it is submitted."""

from typing import Any

from backend.kit.errors import ProblemRead
from backend.kit.schema import InputSchema, Schema


class SpecText(InputSchema):
    yaml: str


class Forecast(Schema):
    """What the experiment will ask for."""

    members: int
    """Of one population."""
    runs: int
    total_env_steps: int
    """Of all members of all runs."""
    replay_bytes: int
    """Memory that one run's replay takes."""


class SpecReport(Schema):
    valid: bool
    problems: list[ProblemRead]
    spec: dict[str, Any] | None
    forecast: Forecast | None
