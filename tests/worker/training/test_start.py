"""`population.start`: founders begin with what other members had learned, and a run that does so resumes exactly."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from phylon.contract.events import Failed, Finished, Lineage
from phylon.policy.folder import policy_files, write_folder
from phylon.policy.making import about_policy, describe_policy
from phylon.policy.network import normalised_actions
from phylon.registry import algorithms
from phylon.run_directory import checkpoint_records
from phylon.spec import parse_spec
from phylon.spec.start import StartSource
from phylon.start import paths
from phylon.start.material import Material, StartInvalid, read_start, to_bytes, write_start
from phylon.start.taking import Checkpoint, take_members
from phylon.worker.core.types import Joint
from phylon.worker.environments.spaces import spaces_of
from phylon.worker.execution.acting import own_parts
from phylon.worker.training import assembly
from phylon.worker.training.assembly import Parts, assemble
from phylon.worker.training.checkpoint import flatten
from phylon.worker.training.start import StartDoesNotFit
from phylon.worker.training.state import TrainingState, make_founders, to_arrays

from .learners import learners
from .runs import Killed, KilledAfter, last_arrays, reproducible

LEARNERS = learners()
JOINT = {"name": "dvd", "interval": 100}


@pytest.fixture
def assembled(
    tmp_path: Path, small_spec: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Parts]]:
    """The parts of a run that is never trained, so nothing is proven about its training."""
    made: list[Parts] = []
    monkeypatch.setattr(assembly, "check_reads", lambda spec, work, joint: None)

    def build(environment: dict[str, Any], algorithm: dict[str, Any], **changes: Any) -> Parts:
        description = algorithms()[algorithm["name"]]
        tuned = {name: value.model_dump(mode="json") for name, value in description.search_space.items()}
        spec = small_spec | {"environment": environment, "algorithm": tuned | algorithm} | changes
        if description.experience == "rollout":
            spec = {name: value for name, value in spec.items() if name != "replay"}
            spec["execution"] = {"strategy": "vectorized"}
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(assemble(parse_spec(spec), 0, folder, tmp_path / "strategies"))
        return made[-1]

    yield build
    for parts in made:
        parts.close()


def learned(parts: Parts) -> TrainingState:
    """Founders of another seed, every number of which has moved."""
    state = make_founders(parts._replace(seed=5))
    moved = jax.tree.map(lambda leaf: leaf + np.ones((), leaf.dtype), jax.device_get(state.population))
    state.population, state.fitness = parts.execution.place(moved), np.array([1, 4, np.nan, 3], np.float32)
    return state


def take(parts: Parts, state: TrainingState, folder: Path, **source: Any) -> list[Material]:
    """Out of a checkpoint file, and through the file that a run directory holds."""
    file = folder / "checkpoint.npz"
    np.savez(file, allow_pickle=False, **to_arrays(state, parts))
    checkpoint = Checkpoint(parts.spec, None, 3, 700, "0" * 64)
    write_start(folder, to_bytes(take_members([file], checkpoint, StartSource(run=3, **source))))
    return read_start(folder)


@pytest.mark.parametrize("name", LEARNERS)
def test_founders_begin_with_what_was_learned(name: str, assembled, tmp_path: Path):
    """From a checkpoint, the whole state of its members."""
    parts = assembled(*LEARNERS[name])
    source = learned(parts)
    materials = take(parts, source, tmp_path, best=2)
    assert [(each.origin.member, each.origin.run, each.origin.step) for each in materials] == [(1, 3, 700), (3, 3, 700)]
    found = flatten("", make_founders(parts, materials).population)
    for leaf, expected in flatten("", source.population).items():
        np.testing.assert_array_equal(found[leaf], expected[[1, 3, 1, 3]], err_msg=leaf)
    if algorithms()[parts.spec.algorithm.name].policy is not None:
        starts_with_policies(parts, source, tmp_path / "policy")


def starts_with_policies(parts: Parts, source: TrainingState, folder: Path) -> None:
    """What acts comes out of an exported policy; targets of it follow, and all else is as drawn."""
    spaces = spaces_of(parts.work.info)
    network = describe_policy(parts.spec.algorithm, spaces, None)
    state = flatten("", own_parts(source.population))
    weights = {each: state[f"/{each}"][2] for each in network.weights}
    about = about_policy(parts.spec, run=None, seed=5, member=2, span=2, step=9, evaluation=None, versions={})
    write_folder(folder, policy_files(network, weights, spaces, normalised_actions(spaces), about))
    start = paths.gather([StartSource(path=str(folder))])
    begun, drawn = (flatten("", make_founders(parts, each).population) for each in (start, []))
    targets = parts.work.algorithm.layout.targets
    for leaf in drawn:
        field, _, rest = leaf.removeprefix("/").partition("/")
        followed = f"{targets[field]}/{rest}" if field in targets else f"{field}/{rest}".removesuffix("/")
        expected = np.stack([weights[followed]] * 4) if followed in weights else drawn[leaf]
        np.testing.assert_array_equal(begun[leaf], expected, err_msg=leaf)
    assert start[0].origin.source == "policy" and start[0].origin.member == 2


def test_a_shared_critic_comes_along(assembled, tmp_path: Path, small_spec: dict[str, Any]):
    changes = {"population": {"size": 4, "method": JOINT}, "replay": small_spec["replay"] | {"sharing": "shared"}}
    environment, algorithm = LEARNERS["td3"]
    of_all = {"critic_learning_rate": 3e-4, "discount": 0.99, "policy_delay": 2}  # of the critic that all share
    parts = assembled(environment, algorithm | of_all, **changes, execution={})
    source = learned(parts)
    begun = make_founders(parts, take(parts, source, tmp_path, members="all")).population
    assert isinstance(begun, Joint)
    for leaf, expected in flatten("", source.population).items():
        np.testing.assert_array_equal(flatten("", begun)[leaf], expected, err_msg=leaf)


def test_what_does_not_fit_is_refused_with_both_sides(assembled, tmp_path: Path):
    environment, algorithm = LEARNERS["td3"]
    parts = assembled(environment, algorithm)
    materials = take(parts, learned(parts), tmp_path, members=[1])
    wider = assembled(environment, algorithm | {"network": {"hidden": [9, 8]}})
    with pytest.raises(StartDoesNotFit) as refused:
        make_founders(wider, materials)
    assert "member 1 of 'small' (run 3), a checkpoint of td3 in Pendulum-v1, does not fit td3" in str(refused.value)
    assert "has shape (3, 8) and type float32 there and has shape (3, 9) and type float32 here" in str(refused.value)
    other = assembled(*LEARNERS["sac"])
    with pytest.raises(StartDoesNotFit, match="'policy/params/output_mean/bias' is missing there and has shape"):
        make_founders(other, materials)
    with pytest.raises(StartDoesNotFit, match="has 5 members for 4 founders"):
        make_founders(parts, materials * 5)


def test_members_that_cannot_be_taken(assembled, tmp_path: Path):
    parts = assembled(*LEARNERS["td3"])
    state = learned(parts)
    state.diverged[2] = True
    with pytest.raises(StartInvalid, match="has 3 sound members, fewer than best: 4"):
        take(parts, state, tmp_path, best=4)
    with pytest.raises(StartInvalid, match="member 2 of run 3 at step 700 has diverged"):
        take(parts, state, tmp_path, members=[0, 2])
    with pytest.raises(StartInvalid, match="no member 4; use numbers from 0 to 3"):
        take(parts, state, tmp_path, members=[4])
    assert [each.origin.member for each in take(parts, state, tmp_path, members="all")] == [0, 1, 3]


def test_paths_that_hold_nothing(tmp_path: Path, train_here, small_spec: dict[str, Any]):
    with pytest.raises(StartInvalid, match="is not there; name a run directory"):
        paths.gather([StartSource(path=str(tmp_path / "nowhere"))])
    with pytest.raises(StartInvalid, match="run 3 is on a service"):
        paths.gather([StartSource(run=3)])
    (tmp_path / "empty").mkdir()
    with pytest.raises(StartInvalid, match="holds no policy"):
        paths.gather([StartSource(path=str(tmp_path / "empty"))])
    small_spec["population"]["start"] = "anywhere"
    failed = train_here(small_spec)[-1]  # a launcher that did not copy anything
    assert isinstance(failed, Failed) and "start.npz' is not there" in failed.message


def test_a_started_run_records_its_origins_and_resumes_exactly(train_here, small_spec, tmp_path: Path):
    spec = small_spec | {"budget": {"env_steps": 200}}
    train_here(spec, "source", seed=1)
    records = checkpoint_records(tmp_path / "source")
    source = StartSource(path=str(tmp_path / "source"), step=100, members=(3, 0))
    content = to_bytes(paths.gather([source]))
    spec = spec | {"population": spec["population"] | {"start": source.model_dump(mode="json")}}
    for directory in ("whole", "broken"):
        write_start(tmp_path / directory, content)
    events = train_here(spec, "whole")
    assert isinstance(events[-1], Finished)
    founders = next(event for event in events if isinstance(event, Lineage)).spans
    assert [span.origin and span.origin.member for span in founders] == [3, 0, 3, 0]
    assert all(span.origin and (span.origin.step, span.origin.sha256) == (100, records[0].sha256) for span in founders)
    assert founders[0].weights == founders[2].weights != founders[1].weights
    assert all(span.origin is None for event in events[3:] if isinstance(event, Lineage) for span in event.spans)
    with pytest.raises(Killed):
        train_here(spec, "broken", commands=KilledAfter(2))  # before its first checkpoint: it begins again
    with pytest.raises(Killed):
        train_here(spec, "broken", commands=KilledAfter(7))
    assert reproducible(train_here(spec, "broken")) == reproducible(events)
    expected = last_arrays(tmp_path / "whole")
    for name, found in last_arrays(tmp_path / "broken").items():
        np.testing.assert_array_equal(found, expected[name], err_msg=name)
