"""A segment's updates in several calls of the device: the same numbers, and the next call's batches come meanwhile."""

from typing import Any

import jax
import numpy as np
import pytest

from phylon.spec.segments import updates_at_once
from phylon.worker.execution.auto import Chosen, choose
from phylon.worker.training import assembly, experience

from .runs import last_arrays


@pytest.mark.parametrize(
    ("updates", "on_cpu", "on_accelerator"),
    [(1, 1, 1), (7, 7, 7), (20, 20, 10), (50, 50, 10), (64, 32, 8), (47, 47, 47), (1280, 32, 8), (94, 47, 47)],
)
def test_shares_are_equal_and_worth_a_call(updates, on_cpu, on_accelerator):
    assert updates_at_once(updates, is_cpu=True) == on_cpu
    assert updates_at_once(updates, is_cpu=False) == on_accelerator


@pytest.mark.parametrize("method", ["pbt", "cem_rl"])
def test_numbers_do_not_depend_on_the_size_of_the_shares(small_spec, train_here, monkeypatch, tmp_path, method):
    spec = small_spec | {"execution": small_spec["execution"] | {"strategy": "vectorized"}}
    if method == "cem_rl":
        spec = spec | {
            "population": {"size": 4, "method": {"name": "cem_rl", "interval": 100}},
            "replay": spec["replay"] | {"sharing": "shared"},
            "algorithm": spec["algorithm"] | {"discount": 0.98, "policy_learning_rate": 1e-3},
        }
    spec["budget"] = {"env_steps": 200}
    train_here(spec, "whole")
    monkeypatch.setattr(experience, "updates_at_once", lambda updates, is_cpu: updates // 4)
    train_here(spec, "shares")
    whole, shares = last_arrays(tmp_path / "whole"), last_arrays(tmp_path / "shares")
    for name in whole:
        if name.startswith(("population/", "replay/", "search/")):
            np.testing.assert_array_equal(shares[name], whole[name], err_msg=name)


def test_the_next_batches_are_handed_over_while_the_device_works(small_spec, train_here, monkeypatch):
    """An accelerator works from `call` until it is waited for."""
    happened: list[str] = []

    def choose_watched(*arguments: Any) -> Chosen:
        chosen = choose(*arguments)
        execution = chosen.execution

        def place_batches(tree: Any) -> Any:
            happened.append("hand over")
            return execution.place_batches(tree)

        def update(*given: Any) -> Any:
            happened.append("call")
            return execution.update(*given)

        return chosen._replace(execution=execution._replace(place_batches=place_batches, update=update))

    def wait(tree: Any, really: Any = jax.block_until_ready) -> Any:
        if tree and isinstance(tree, list):  # reports
            happened.append("wait")
        return really(tree)

    monkeypatch.setattr(assembly, "choose", choose_watched)
    monkeypatch.setattr(experience, "updates_at_once", lambda updates, is_cpu: updates // 4)
    monkeypatch.setattr(jax, "block_until_ready", wait)
    train_here(small_spec | {"budget": {"env_steps": 60}})  # a single segment after the warm-up
    handed_over = [position for position, what in enumerate(happened) if what == "hand over"]
    assert len(handed_over) == happened.count("call") == 4
    assert handed_over[1] < happened.index("wait"), "the second call's batches wait for the first call's end"
