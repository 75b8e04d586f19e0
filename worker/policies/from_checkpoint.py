"""A member's policy out of a checkpoint, compared with the trainer's own actions before it is written."""

import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phylon.checkpoint_arrays import CheckpointArrays
from phylon.policy.folder import policy_files, write_folder
from phylon.policy.making import NoPolicy, about_policy, describe_policy
from phylon.policy.network import normalised_actions
from phylon.policy.policy import Policy
from phylon.run_directory import CheckpointRecord, checkpoint_paths, checkpoint_records, latest_checkpoint, read_run
from phylon.spec import ExperimentSpec, parse_accepted
from phylon.worker.core.errors import EngineError
from phylon.worker.environments import describe_environment, find_native_actions
from phylon.worker.environments.spaces import spaces_of
from phylon.worker.policies.comparison import compare_with_trainer
from phylon.worker.training.versions import find_versions
from phylon.worker.training.winner import describe_returns

SEARCHED = "policy/"
"""The part of a member's state that a search over weights draws; its mean lies apart."""


class Made(NamedTuple):
    member: int | None
    """None for the mean of a search."""
    step: int
    largest_difference: float
    """From the trainer's own actions, on the scale [-1, 1]."""


def make(run_dir: Path, member: str, step: int | None, folder: Path) -> Made:
    """`member`: `best`, `mean` or a number. Writes the policy into `folder`."""
    request = read_run(run_dir)
    spec = parse_accepted(request.spec)
    record = _choose_checkpoint(run_dir, step)
    info = describe_environment(spec.environment)._replace(envs_per_member=spec.environment.envs_per_member)
    spaces, native = spaces_of(info), find_native_actions(spec.environment)
    try:
        network = describe_policy(spec.algorithm, spaces, native)
    except NoPolicy as error:
        raise EngineError(str(error), "choose a run of another algorithm, or describe its policy") from None
    with _open(run_dir, record) as arrays:
        slot = _choose_member(spec, member, arrays)
        weights = {name: _read(arrays, name, slot, spec) for name in network.weights}
        about = about_policy(
            spec,
            run=request.run_id,
            seed=request.seed,
            member=slot,
            span=None if slot is None else int(arrays["lineage/open"][slot]),
            step=record.step,
            evaluation=None if slot is None else describe_returns(arrays["returns"][slot]),
            versions=find_versions(),
        )
    write_folder(folder, policy_files(network, weights, spaces, native or normalised_actions(spaces), about))
    return Made(slot, record.step, compare_with_trainer(spec, info, Policy.load(folder)))


def _choose_checkpoint(run_dir: Path, step: int | None) -> CheckpointRecord:
    if step is None:
        record = latest_checkpoint(run_dir)
        if record is None:
            raise EngineError(f"'{run_dir}' holds no checkpoint", "let the run come to its first checkpoint")
        return record
    records = checkpoint_records(run_dir)
    for record in records:
        if record.step == step:
            return record
    there = ", ".join(str(record.step) for record in records) or "none"
    raise EngineError(f"there is no checkpoint of step {step}", f"those that are here are of the steps: {there}")


def _open(run_dir: Path, record: CheckpointRecord) -> CheckpointArrays:
    """Arrays are read when asked for: a replay may be larger than this machine's memory."""
    try:
        return CheckpointArrays(checkpoint_paths(run_dir, record))
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise EngineError(f"checkpoint {record.file} cannot be read: {error}", "choose another --step") from None


def _choose_member(spec: ExperimentSpec, member: str, arrays: Any) -> int | None:
    if member == "mean":
        if not any(name.startswith("search/mean/") for name in arrays.files):
            raise EngineError(
                f"a population of {spec.population.method.name} has no mean policy", "use --member best or a number"
            )
        return None
    if member == "best":
        return int(np.argmax(np.nan_to_num(arrays["fitness"], nan=-np.inf)))
    if not member.isdecimal() or int(member) >= spec.population.size:
        raise EngineError(
            f"there is no member '{member}'", f"use best, mean, or a number from 0 to {spec.population.size - 1}"
        )
    return int(member)


def _read(arrays: Any, name: str, slot: int | None, spec: ExperimentSpec) -> NDArray[Any]:
    if slot is None and name.startswith(SEARCHED):
        return arrays[f"search/mean/{name.removeprefix(SEARCHED)}"]
    for place in (f"population/{name}", f"population/members/{name}"):
        if place in arrays.files:
            return arrays[place][slot or 0]
    raise EngineError(
        f"the checkpoint has no '{name}', which a policy of {spec.algorithm.name} needs",
        "use the version of Phylon that wrote it",
    )
