"""A member that diverges is set aside and shown; the others go on as if nothing had happened."""

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from phylon.contract.events import Diverged, Failed, Finished, Lineage
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Joint
from phylon.worker.execution.members import blank_members, find_finite_members
from phylon.worker.population import selection
from phylon.worker.training import loop
from phylon.worker.training.checks import TrainingDiverged
from phylon.worker.training.divergence import Divergence, find_divergences

from .runs import frames_of, kinds, last_arrays, reproducible
from .test_interruption import Crash

SOUND, BROKEN = 3e-4, 1e30
"""Learning rates of critics. The second makes a loss infinite in the first block of updates, before step 60."""


@pytest.fixture
def spec(small_spec):
    """Four members, of whom the third diverges at once. Children keep what they inherit."""
    small_spec["algorithm"]["critic_learning_rate"] = {"choice": [SOUND, BROKEN]}
    small_spec["population"]["method"] |= {"explore": {"name": "keep"}}
    small_spec["execution"]["strategy"] = "vectorized"
    small_spec["budget"]["env_steps"] = 300
    return with_rates(small_spec, [SOUND, SOUND, BROKEN, SOUND])


def with_rates(spec, rates):
    spec["population"]["founders"] = {"critic_learning_rate": list(rates)}
    return spec


def independent(spec):
    spec["population"]["method"] = {"name": "independent"}
    return spec


def diverged(events) -> list[Diverged]:
    return [event for event in events if isinstance(event, Diverged)]


def assert_goes_on(events) -> None:
    assert diverged(events) and isinstance(events[-1], Finished)


def is_missing(values: Sequence[float]) -> list[bool]:
    return [math.isnan(value) for value in values]


class TestReplaced:
    def test_by_the_next_exploit(self, spec, train_here, tmp_path):
        events = train_here(spec)
        assert_goes_on(events)
        [event] = diverged(events)
        assert (event.member, event.span) == (2, 2)
        assert event.step == 60 and event.metric in ("critic_loss", "policy_loss", "q_value")
        assert not math.isfinite(event.value)
        assert event.hyperparams["critic_learning_rate"] == pytest.approx(BROKEN)
        [_, births, *_] = [event for event in events if isinstance(event, Lineage)]
        assert births.step == 100
        [child] = [span for span in births.spans if span.slot == 2]
        assert child.parent in (0, 1, 3) and math.isnan(child.fitness) and child.rank == 3
        assert child.hyperparams["critic_learning_rate"] == pytest.approx(SOUND)
        returns = frames_of(events, "evaluation/return")
        assert [is_missing(returns[step]) for step in (100, 200, 300)] == [
            [False, False, True, False],
            *[[False] * 4] * 2,
        ]
        losses = frames_of(events, "training/critic_loss")
        assert math.isnan(losses[60][2]) and math.isfinite(losses[180][2])
        arrays = last_arrays(tmp_path / "run")
        assert not arrays["diverged"].any()
        assert all(
            np.isfinite(array).all() for name, array in arrays.items() if name.startswith(("population", "replay"))
        )

    def test_all_at_once_if_more_diverge_than_selection_replaces(self, spec, train_here):
        with_rates(spec, [BROKEN, SOUND, BROKEN, BROKEN])
        events = train_here(spec)
        assert_goes_on(events)
        assert [event.member for event in diverged(events)] == [0, 2, 3]
        births = next(event for event in events if isinstance(event, Lineage) and event.step == 100)
        assert {span.slot: span.parent for span in births.spans} == {0: 1, 2: 1, 3: 1}

    def test_when_it_is_ready_if_members_evolve_one_by_one(self, spec, train_here):
        spec["version"], spec["evaluation"] = 2, {"interval": 40, "episodes": 1, "final": 0}
        spec["population"]["method"] |= {"interval": 80, "asynchronous": True}
        events = train_here(spec)
        assert_goes_on(events)
        [event] = diverged(events)
        [first, *_] = [step for step, values in frames_of(events, "evaluation/return").items() if step > event.step]
        child = next(
            (event.step, span)
            for event in events
            if isinstance(event, Lineage) and event.step
            for span in event.spans
            if span.slot == 2
        )
        assert child[0] >= first and child[1].parent != 2
        assert not is_missing(frames_of(events, "evaluation/return")[280])[2]

    def test_whole_where_otherwise_only_policies_are_copied(self, spec, train_here, tmp_path):
        """The critics of a member that diverged are gone."""
        spec["population"]["method"]["copying"] = {"what": "policy"}
        spec["budget"]["env_steps"] = 200
        events = train_here(spec)
        assert_goes_on(events)
        losses = frames_of(events, "training/critic_loss")[180]
        assert losses[2] != 0 and math.isfinite(losses[2])
        critic = {name: array for name, array in last_arrays(tmp_path / "run").items() if "/critic/" in name}
        assert critic and all(np.abs(array[2]).sum() > 0 for name, array in critic.items() if name.endswith("kernel"))

    def test_a_donor_that_diverged_is_found_out(self, spec, train_here, monkeypatch):
        """The former rule of truncation drew from the best, whether they had a fitness or not."""
        with_rates(spec, [BROKEN, SOUND, BROKEN, BROKEN])
        spec["population"]["method"]["selection"] = {"name": "truncation", "bottom": 0.5, "top": 0.5}
        monkeypatch.setattr(selection, "avoid_missing", lambda key, fitness, parents, donors: parents)
        outcomes = [train_here(spec, f"seed {seed}", seed=seed)[-1] for seed in range(3)]
        failed = [event for event in outcomes if isinstance(event, Failed)]
        assert failed and all("is set aside" in event.message for event in failed)


class TestStaysOut:
    def test_with_a_method_that_never_copies_and_changes_nothing_for_the_others(self, spec, train_here):
        events = train_here(independent(spec), "with")
        assert_goes_on(events)
        assert [event.member for event in diverged(events)] == [2]
        sound = train_here(with_rates(spec, [SOUND] * 4), "without")
        for name in ("evaluation/return", "evaluation/length", "training/return", "training/critic_loss"):
            found, expected = frames_of(events, name), frames_of(sound, name)
            assert found.keys() == expected.keys()
            for step, values in expected.items():
                assert math.isnan(found[step][2]), f"{name} at step {step}"
                others = [0, 1, 3]
                np.testing.assert_array_equal(np.array(found[step])[others], np.array(values)[others])
        finished = events[-1]
        assert finished.best_member != 2 and math.isfinite(finished.fitness)

    def test_no_span_begins_for_it(self, spec, train_here):
        spec["population"]["method"] = {
            "name": "schedule",
            "schedule": [{"step": 0, "values": {"discount": 0.9}}, {"step": 100, "values": {"discount": 0.95}}],
        }
        events = train_here(spec)
        assert_goes_on(events)
        births = [event for event in events if isinstance(event, Lineage)]
        assert [[span.slot for span in event.spans] for event in births] == [[0, 1, 2, 3], [0, 1, 3]]
        discounts = frames_of(events, "hyperparams/discount")[240]
        assert discounts == pytest.approx([0.95, 0.95, 0.9, 0.95]), "its values stay those of its span"

    def test_resets_leave_it_alone(self, spec, train_here, tmp_path):
        independent(spec)["resets"] = {"interval": 100}
        events = train_here(spec)
        assert_goes_on(events)
        births = [event for event in events if isinstance(event, Lineage)]
        assert len(births) > 1 and all([span.slot for span in event.spans] == [0, 1, 3] for event in births[1:])
        assert last_arrays(tmp_path / "run")["diverged"].tolist() == [False, False, True, False]

    def test_nothing_of_it_reaches_a_shared_replay(self, spec, train_here, tmp_path):
        independent(spec)["replay"] |= {"sharing": "shared"}
        assert_goes_on(train_here(spec))
        arrays = last_arrays(tmp_path / "run")
        for name in ("obs", "action", "reward", "next_obs"):
            assert np.isfinite(arrays[f"replay/{name}"]).all(), name

    @pytest.mark.parametrize("strategy", ["sequential", "sharded", "parallel"])
    def test_in_every_strategy(self, spec, train_here, strategy):
        independent(spec)["execution"] |= {"strategy": strategy}
        spec["budget"]["env_steps"] = 100
        events = train_here(spec)
        assert_goes_on(events)
        assert is_missing(frames_of(events, "evaluation/return")[100]) == [False, False, True, False]

    def test_with_rollouts_on_the_device(self, small_spec, train_here):
        small_spec["environment"] = {"suite": "gymnax", "id": "CartPole-v1", "envs_per_member": 2}
        small_spec["algorithm"] = {
            **{"name": "ppo", "rollout_steps": 20, "minibatches": 2, "network": {"hidden": [8]}},
            "learning_rate": {"choice": [SOUND, BROKEN]},
        }
        small_spec["population"] = {
            **{"size": 2, "method": {"name": "independent"}},
            "founders": {"learning_rate": [BROKEN, SOUND]},
        }
        del small_spec["replay"]
        small_spec["execution"] = {"strategy": "vectorized"}
        small_spec |= {"budget": {"env_steps": 200}, "metrics": {"interval": 40}, "checkpoint": {"interval": 200}}
        events = train_here(small_spec)
        assert_goes_on(events)
        assert [event.member for event in diverged(events)] == [0]


class TestNobodyIsLeft:
    def test_fails(self, spec, train_here):
        events = train_here(with_rates(spec, [BROKEN] * 4))
        assert [event.member for event in diverged(events)] == [0, 1, 2, 3]
        failed = events[-1]
        assert isinstance(failed, Failed) and failed.step == 60
        assert "all 4 members have diverged" in failed.message and "critic_learning_rate 1e+30" in failed.message
        assert failed.hyperparams and "learning rates" in failed.remedy

    @pytest.mark.parametrize(
        ("method", "reason"), [("cem_rl", "the critic that all members share"), ("dvd", "members learn as one")]
    )
    def test_when_what_members_share_diverges(self, small_spec, train_here, method, reason):
        small_spec["algorithm"] = {
            **{"name": "td3", "batch_size": 8, "network": {"hidden": [8]}, "critic_learning_rate": BROKEN},
        }
        small_spec["population"]["method"] = {"name": method, "interval": 100}
        small_spec["replay"] |= {"sharing": "shared"}
        small_spec["execution"]["strategy"] = "auto"
        failed = train_here(small_spec)[-1]
        assert isinstance(failed, Failed) and reason in failed.message


class TestResume:
    def test_repeats_the_uninterrupted_run(self, spec, train_here, tmp_path):
        """Killed after a checkpoint in which a member is set aside."""
        independent(spec)
        expected = train_here(spec, "whole")
        with pytest.raises(ConnectionError):
            train_here(spec, "killed", commands=Crash(7, "yield"))
        found = train_here(spec, "killed")
        assert kinds(found).count("started") == 2
        assert reproducible(found) == reproducible(expected)
        arrays = last_arrays(tmp_path / "killed")
        assert arrays["diverged"].tolist() == [False, False, True, False]
        for name, array in last_arrays(tmp_path / "whole").items():
            np.testing.assert_array_equal(arrays[name], array, err_msg=name)


def test_the_former_rule_is_found_out(spec, train_here, monkeypatch):
    """It failed the run with the first number that was not finite."""
    assert_goes_on(train_here(spec, "now"))

    def former(attempt: Any, reports: Any, is_finite: Any) -> None:
        found = find_divergences(reports, attempt.parts.learners, is_finite)
        if found:
            raise TrainingDiverged("a loss is not finite", "", found[0].member, {})

    monkeypatch.setattr(loop, "set_diverged_aside", former)
    with pytest.raises(AssertionError):
        assert_goes_on(train_here(spec, "former"))
    assert issubclass(TrainingDiverged, EngineError)


class TestFind:
    def test_the_first_number_that_is_not_finite(self):
        nan, inf = float("nan"), float("inf")
        reports = [
            {"critic_loss": np.array([1.0, 2.0, inf, 4.0]), "q_value": np.array([1.0, nan, nan, 4.0])},
            {"critic_loss": np.array([nan, nan, nan, 4.0]), "q_value": np.array([1.0, nan, nan, 4.0])},
        ]
        found = find_divergences(reports, 4, np.array([True, False, False, True]))
        assert [(each.member, each.metric) for each in found] == [
            (0, "critic_loss"),
            (1, "q_value"),
            (2, "critic_loss"),
        ]
        assert found[2].value == inf

    def test_weights_alone(self):
        found = find_divergences([{"loss": np.ones(3)}], 3, np.array([True, True, False]))
        assert [(each.member, each.metric) for each in found] == [(2, "weights")]

    def test_members_that_do_not_learn_have_no_losses(self):
        nothing: list[Divergence] = []
        assert find_divergences([{"loss": np.array([1.0, np.nan])}], 1, np.ones(2, bool)) == nothing


class TestBlank:
    def population(self):
        return {"w": jnp.arange(6.0).reshape(3, 2).at[1, 0].set(jnp.nan), "steps": jnp.array([5, 6, 7])}

    def test_finds_and_blanks_members(self):
        population = self.population()
        finite = find_finite_members(population)
        assert finite.tolist() == [True, False, True]
        blanked = blank_members(population, ~finite)
        assert blanked["w"].tolist() == [[0, 1], [0, 0], [4, 5]] and blanked["steps"].tolist() == [5, 0, 7]

    def test_leaves_alone_what_members_share(self):
        shared = {"critic": jnp.array([jnp.nan])}
        blanked = blank_members(Joint(self.population(), shared), np.array([False, True, False]))
        assert isinstance(blanked, Joint) and blanked.shared is shared
        assert find_finite_members(blanked).all()
