"""Takes members out of a checkpoint, or out of an exported policy.

A checkpoint is read array by array, and only what is taken: its replay may be larger than this machine's memory.
"""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.checkpoint_arrays import CheckpointArrays
from phylon.contract.events import Origin
from phylon.policy.folder import PolicyInvalid
from phylon.policy.policy import Policy
from phylon.spec import ExperimentSpec
from phylon.spec.start import StartSource
from phylon.start.material import Leaves, Material, StartInvalid

_JOINT, _SHARED, _PLAIN = "population/members/", "population/shared/", "population/"


class Checkpoint(NamedTuple):
    """What is known of a checkpoint beside its arrays."""

    spec: ExperimentSpec
    """Of the run that wrote it."""
    experiment_id: int | None
    run: int | None
    """Its number on the service; None for one of the foreground."""
    step: int
    sha256: str

    @property
    def name(self) -> str:
        return f"run {self.run}" if self.run else f"'{self.spec.name}'"


def take_members(files: Sequence[Path | IO[bytes]], checkpoint: Checkpoint, source: StartSource) -> list[Material]:
    try:
        with CheckpointArrays(files) as arrays:
            members = _choose(arrays, checkpoint, source)
            own, shared = _read_population(arrays, members)
            spans = arrays["lineage/open"]
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, StartInvalid):
            raise
        raise StartInvalid(
            f"the checkpoint of {checkpoint.name} at step {checkpoint.step} cannot be read: {error}; choose another"
        ) from None
    return [
        Material(
            origin=Origin(
                source="checkpoint",
                experiment=checkpoint.spec.name,
                experiment_id=checkpoint.experiment_id,
                run=checkpoint.run,
                member=member,
                span=int(spans[member]),
                step=checkpoint.step,
                sha256=checkpoint.sha256,
                algorithm=checkpoint.spec.algorithm.name,
                environment=checkpoint.spec.environment.id,
            ),
            leaves={name: leaves[place] for name, leaves in own.items()},
            shared=shared,
        )
        for place, member in enumerate(members)
    ]


def take_policy(path: Path) -> Material:
    try:
        policy = Policy.load(path)
        card = policy.card
        provenance = card["provenance"]
        origin = Origin(
            source="policy",
            experiment=provenance["experiment"],
            experiment_id=None,
            run=provenance["run"],
            member=provenance["member"],
            span=provenance["span"],
            step=provenance["step"],
            sha256=card["weights"]["sha256"],
            algorithm=card["algorithm"],
            environment=card["environment"]["id"],
        )
    except PolicyInvalid as error:
        raise StartInvalid(str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise StartInvalid(f"the card of the policy in '{path}' lacks {error}; export it again") from None
    return Material(origin, policy.weights, {})


def _choose(arrays: Any, checkpoint: Checkpoint, source: StartSource) -> list[int]:
    fitness = arrays["fitness"]
    diverged = arrays["diverged"] if "diverged" in arrays.files else np.zeros(len(fitness), np.bool_)
    where = f"{checkpoint.name} at step {checkpoint.step}"
    if source.members is None:
        wanted = source.best or 1
        ranked = [int(each) for each in np.argsort(-np.nan_to_num(fitness, nan=-np.inf), kind="stable")]
        sound = [each for each in ranked if not diverged[each]]
        if len(sound) < wanted:
            raise StartInvalid(f"{where} has {len(sound)} sound members, fewer than best: {wanted}; take fewer")
        return sound[:wanted]
    if source.members == "all":
        return [each for each in range(len(fitness)) if not diverged[each]]
    for member in source.members:
        if member >= len(fitness):
            raise StartInvalid(f"{where} has no member {member}; use numbers from 0 to {len(fitness) - 1}")
        if diverged[member]:
            raise StartInvalid(f"member {member} of {where} has diverged: its weights are not finite; take another")
    return list(source.members)


def _read_population(arrays: Any, members: list[int]) -> tuple[Mapping[str, NDArray[Any]], Leaves]:
    """Their own leaves [members, ...] and the shared ones, by name."""
    names: list[str] = [name for name in arrays.files if name.startswith(_PLAIN)]
    is_joint = any(name.startswith(_JOINT) for name in names)
    prefix = _JOINT if is_joint else _PLAIN
    own = {name.removeprefix(prefix): arrays[name][members] for name in names if name.startswith(prefix)}
    shared = {name.removeprefix(_SHARED): arrays[name] for name in names if is_joint and name.startswith(_SHARED)}
    return own, shared
