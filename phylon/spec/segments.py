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


def segment_updates(spec: "ExperimentSpec") -> int:
    """Gradient updates of each member in a segment; on a rollout there is one."""
    return 1 if spec.replay is None else round(segment_steps(spec) * spec.replay.ratio)


def update_numbers(spec: "ExperimentSpec") -> range:
    """Of all updates of a run. Segments of the warm-up have numbers too, but make no updates."""
    segment, updates = segment_steps(spec), segment_updates(spec)
    warmup = 0 if spec.replay is None else spec.replay.warmup
    return range(warmup // segment * updates, spec.budget.env_steps // segment * updates)


def updates_at_once(updates: int, is_cpu: bool) -> int:
    """How many of a segment's updates a call of the device makes: the smallest equal share that is worth a call.

    While an accelerator works on a share, the host draws the next one and hands it over. The cores of a CPU do both, so
    there a call has its price and nothing else for it; but the batches of a high replay ratio need not all lie in
    memory at the same time.
    """
    least = 32 if is_cpu else 8
    return next(share for share in range(min(least, updates), updates + 1) if updates % share == 0)
