"""How many steps a target looks ahead before it bootstraps."""

from typing import Annotated, Any

from pydantic import Field

NStep = Annotated[int, Field(strict=True, ge=1, le=100)]


def n_step_of(algorithm: Any) -> int:
    """Algorithms without the field look one step ahead, or have a rollout."""
    return getattr(algorithm, "n_step", 1)
