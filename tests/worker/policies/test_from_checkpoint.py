"""Policies out of a checkpoint whose members share a critic, and the mean that a search over weights moves."""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from phylon.policy.policy import Policy
from phylon.run_directory import CheckpointRecord, RunRequest, record_checkpoint, write_run
from phylon.spec import parse_spec, spec_to_json
from phylon.spec.algorithms import tunable_fields
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.core.errors import EngineError
from phylon.worker.environments import describe
from phylon.worker.policies.from_checkpoint import make
from phylon.worker.population import build_method
from phylon.worker.training.checkpoint import flatten, write_arrays

SIZE = 4


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a trainer of CEM-RL leaves it; nothing is compiled, since numbers are drawn for the shapes of its state."""
    folder = tmp_path_factory.mktemp("run")
    spec = parse_spec({
        "name": "search",
        "environment": "Pendulum-v1",
        "algorithm": {"name": "td3", "network": {"hidden": [8]}},
        "population": {"size": SIZE, "method": {"name": "cem_rl"}},
        "budget": 10_000,
    })  # fmt: skip
    write_run(folder, RunRequest(run_id=None, seed=1, spec=spec_to_json(spec)))
    joint, method = build_joint_algorithm(spec, describe("gymnasium", "Pendulum-v1")), build_method(spec)
    assert joint is not None and method.search is not None
    keys = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), SIZE))
    numbers = {name: jax.ShapeDtypeStruct((SIZE,), np.float32) for name in tunable_fields(type(spec.algorithm))}
    population = jax.eval_shape(joint.init, keys, numbers)
    search, _ = jax.eval_shape(method.search.begin, jax.random.key(0), population)
    generator = np.random.default_rng(0)

    def draw(leaf: Any) -> Any:
        return generator.normal(size=leaf.shape).astype(leaf.dtype)

    arrays = {
        **flatten("population", jax.tree.map(draw, population)),
        **flatten("search", jax.tree.map(draw, search)),
        "fitness": np.array([1.0, np.nan, 3.0, 2.0], np.float32),
        "returns": np.arange(8, dtype=np.float32).reshape(SIZE, 2),
        "lineage/open": np.array([4, 5, 6, 7]),
    }
    written = write_arrays(folder, 3, arrays)._asdict()
    record_checkpoint(folder, CheckpointRecord(number=3, step=3000, next_seq=0, **written))
    np.savez(folder / "arrays.npz", **arrays)
    return folder


def test_members_and_the_mean(run_dir: Path, tmp_path: Path) -> None:
    arrays = np.load(run_dir / "arrays.npz")
    kernel = "policy/params/hidden_0/kernel"
    for member, expected in {
        "best": arrays[f"population/members/{kernel}"][2],
        "3": arrays[f"population/members/{kernel}"][3],
        "mean": arrays["search/mean/params/hidden_0/kernel"],
    }.items():
        made = make(run_dir, member, 3000 if member == "3" else None, tmp_path / member)
        assert made.step == 3000 and made.largest_difference < 1e-5
        policy = Policy.load(tmp_path / member)
        np.testing.assert_array_equal(policy.weights[kernel], expected)
        assert policy.card["action"]["high"] == [2.0]
    best = json.loads((tmp_path / "best/policy.json").read_text())["provenance"]
    assert (best["member"], best["span"], best["evaluation"]["mean"]) == (2, 6, 4.5)
    for options, said in {
        ("7", None): "a number from 0 to 3",
        ("best", 5): "of the steps: 3000",
    }.items():
        with pytest.raises(EngineError, match=said):
            make(run_dir, *options, tmp_path / "refused")
