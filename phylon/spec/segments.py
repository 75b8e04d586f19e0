"""The segment: what happens between two looks at the host."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def segment_steps(spec: "ExperimentSpec") -> int:
    """Environment steps of each member in a segment."""
    if spec.algorithm.learns_from == "rollout":
        return spec.algorithm.rollout_steps * spec.environment.envs_per_member
    assert spec.execution.segment_steps is not None  # the spec completes itself
    return spec.execution.segment_steps
