"""How a member's policy leaves the platform: its network, by the algorithm's own description, and its card."""

import math
from collections.abc import Mapping
from typing import Any

from phylon.contract.events import FinalReturn
from phylon.contract.lineage import RunLineage
from phylon.lineage.ancestry import ancestry
from phylon.policy.network import NativeActions, PolicyNetwork, Spaces, normalised_actions, with_native_actions
from phylon.spec import ExperimentSpec, spec_to_json
from phylon.spec.registered import describe_algorithm


class NoPolicy(ValueError):
    """The algorithm has none that could leave the platform; the message says why."""


def describe_policy(algorithm: Any, spaces: Spaces, native: NativeActions | None) -> PolicyNetwork:
    """`algorithm`: its spec. Without the environment's own actions, those of the policy stay in [-1, 1]."""
    describe = describe_algorithm(algorithm).policy
    if describe is None:
        raise NoPolicy(f"{algorithm.name} does not describe its policy, so it stays in the checkpoints")
    return with_native_actions(describe(algorithm, spaces), spaces, native or normalised_actions(spaces))


def about_policy(
    spec: ExperimentSpec,
    *,
    run: int | None,
    seed: int,
    member: int | None,
    span: int | None,
    step: int,
    evaluation: Mapping[str, Any] | None,
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """What a card says beside the policy itself. `complete` adds what only the history knows."""
    return {
        "name": spec.name,
        "algorithm": spec.algorithm.name,
        "environment": {"suite": spec.environment.suite, "id": spec.environment.id},
        "provenance": {
            "experiment": spec.name,
            "run": run,
            "seed": seed,
            "member": member,
            "span": span,
            "step": step,
            "evaluation": evaluation,
            "final": None,
            "ancestry": None,
        },
        "versions": dict(versions),
        "spec": spec_to_json(spec),
    }


def complete(provenance: dict[str, Any], lineage: RunLineage, final: FinalReturn | None) -> None:
    """Adds the ancestry of the member's span, from its founder on, and what the member earned in the end."""
    if final is not None:
        interval = {"low": final.low, "high": final.high}
        if not math.isfinite(final.low):  # of a single episode
            interval = {"low": None, "high": None}
        provenance["final"] = {"mean": final.mean, **interval, "episodes": final.episodes}
    span = provenance["span"]
    path = [] if span is None else ancestry(lineage, span)
    if path and path[0].parent is None:  # a history that moved between workers may lack its beginning
        tuned = [each.name for each in lineage.tuned]
        provenance["ancestry"] = [
            {
                "span": each.id,
                "member": each.slot,
                "step": each.start_step,
                "operator": each.operator,
                "hyperparams": {name: value for name, value in each.hyperparams.items() if name in tuned},
            }
            for each in path
        ]
