"""Hyper-parameters that programs do not read are found before training, from the traced programs."""

from functools import partial

import jax
import numpy as np
import pytest

from phylon.contract.events import Failed, Metrics
from phylon.registry import algorithms
from phylon.spec import SpecInvalid, hyperparameters, parse_spec
from phylon.spec.checks import CHECKS
from phylon.spec.checks.training import tuned_numbers_are_read
from phylon.spec.when_read import moved_hyperparameters, when_read
from phylon.worker.algorithms import build_algorithm, td3
from phylon.worker.algorithms.joint import build_joint_algorithm
from phylon.worker.core.types import EnvironmentInfo
from phylon.worker.environments import describe
from phylon.worker.execution import Workload
from phylon.worker.population import build_method
from phylon.worker.training import checks, reads
from phylon.worker.training.reads import HyperparameterUnread, check_reads, find_reads

from .learners import learners
from .runs import kinds

FOUR = {"suite": "gymnasium", "id": "Pendulum-v1"}
SAC = {"name": "sac", "batch_size": 8, "network": {"hidden": [8]}}
START = {"initial_temperature": {"log_uniform": [0.1, 1.0]}}


def spec_with(algorithm, environment=FOUR, method="independent", size=2, **changes):
    population = {"size": size, "method": method}
    document = {"environment": environment, "algorithm": algorithm, "population": population, "budget": 1000}
    return parse_spec({**document, "search": "none", **changes})


def programs_of(spec):
    info: EnvironmentInfo = describe(spec.environment.suite, spec.environment.id)._replace(
        envs_per_member=spec.environment.envs_per_member
    )
    numbers = {name: 0.5 for name in hyperparameters(spec.algorithm)} | dict(build_method(spec).hyperparams)
    work = Workload(partial(build_algorithm, spec.algorithm, info), info, spec.population.size, numbers)
    return spec, work, build_joint_algorithm(spec, info)


def unvalidated(monkeypatch):
    """Specs that a description would refuse reach the trace, as those of a plug-in that says nothing do."""
    monkeypatch.setattr(
        "phylon.spec.checks.CHECKS", tuple(each for each in CHECKS if each is not tuned_numbers_are_read)
    )


STRUCTURES = {
    **{label: (environment, algorithm) for label, (environment, algorithm) in learners().items()},
    "sac of fixed temperature": (FOUR, SAC | {"temperature": "fixed"}),
    "ppo of raw rewards": (
        FOUR,
        {"name": "ppo", "rollout_steps": 8, "minibatches": 2, "epochs": 1, "network": {"hidden": [8]}}
        | {"reward_normalisation": False, "value_clip": False, "advantage_normalisation": "none", "torsos": "shared"},
    ),
    "dqn, double and dueling": (
        {"suite": "gymnax", "id": "CartPole-v1"},
        {"name": "dqn", "batch_size": 8, "network": {"kind": "mlp", "hidden": [8]}, "double": True, "dueling": True},
    ),
}


@pytest.mark.parametrize("label", STRUCTURES)
def test_descriptions_say_when_each_hyperparameter_is_read(label):
    environment, algorithm = STRUCTURES[label]
    spec = spec_with(algorithm, environment)
    description, found = algorithms()[spec.algorithm.name], find_reads(*programs_of(spec))
    unread = description.unread(spec.algorithm)
    assert hyperparameters(spec.algorithm).keys() - found.keys() == unread.keys()
    assert found == {name: when_read(spec, name) for name in hyperparameters(spec.algorithm) if name not in unread}
    assert all(found[name] == "training" for name in description.search_space if name not in unread)


@pytest.mark.parametrize(("algorithm", "method"), [("td3", "cem_rl"), ("sac", "cem_rl"), ("td3", "dvd")])
def test_populations_that_learn_as_one(algorithm, method):
    spec = spec_with({"name": algorithm, "batch_size": 8, "network": {"hidden": [8]}}, method=method, size=4)
    found = find_reads(*programs_of(spec))
    at_birth = {"initial_temperature"} if algorithm == "sac" else set()
    assert found == {
        name: "birth" if name in at_birth else "training"
        for name in [*hyperparameters(spec.algorithm), *(["diversity"] if method == "dvd" else [])]
    }


class TestAnAlgorithmThatIgnoresItsDiscount:
    """As QDax's PBT does: it explores a discount and computes with the one of its configuration."""

    @pytest.fixture(autouse=True)
    def deaf(self, monkeypatch):
        hearing = td3.critic_targets

        def fixed_discount(networks, state, hyperparams, batch, key):
            return hearing(networks, state, hyperparams | {"discount": 0.99}, batch, key)

        monkeypatch.setattr(td3, "critic_targets", fixed_discount)

    def test_is_refused_before_training(self, small_spec, train_here):
        events = train_here(small_spec)
        assert kinds(events) == ["failed"]
        (failed,) = events
        assert isinstance(failed, Failed)
        assert "discount is tuned, but no program of td3 reads it" in failed.message
        assert "write a number for algorithm.discount" in failed.remedy

    def test_the_echo_alone_would_have_accepted_it(self, small_spec, train_here, monkeypatch):
        """The rule of before: programs return their hyper-parameters, which are compared with the planned ones."""
        compared = []
        monkeypatch.setattr("phylon.worker.training.assembly.check_reads", lambda *_: None)
        monkeypatch.setattr(
            "phylon.worker.training.loop.check_hyperparams",
            lambda planned, used: compared.append(checks.check_hyperparams(planned, used)),
        )
        events = train_here(small_spec | {"budget": {"env_steps": 200}})
        assert compared and events[-1].kind == "finished"

    def test_a_fixed_discount_is_no_pretence(self, small_spec, train_here):
        small_spec["algorithm"]["discount"] = 0.99
        assert train_here(small_spec | {"budget": {"env_steps": 100}})[-1].kind == "finished"


def test_what_only_metrics_show_is_unread(monkeypatch):
    """A number in the reports is not a number in the learning."""
    fit = td3.critic_targets

    def shown(networks, state, hyperparams, batch, key):
        return fit(networks, state, hyperparams | {"discount": 0.9}, batch, key)

    plain = td3.critic_step

    def step(networks, state, hyperparams, batch, key):
        state, metrics = plain(networks, state, hyperparams, batch, key)
        return state, metrics | {"discount": hyperparams["discount"]}

    monkeypatch.setattr(td3, "critic_targets", shown)
    monkeypatch.setattr(td3, "critic_step", step)
    spec = spec_with({"name": "td3", "batch_size": 8, "network": {"hidden": [8]}})
    assert "discount" not in find_reads(*programs_of(spec))


class TestReadAtBirth:
    """`initial_temperature`, where the temperature is learned from then on."""

    def test_is_refused_for_a_method_that_moves_it(self):
        with pytest.raises(
            SpecInvalid, match="only a new member reads it, so what pbt changes it to would have no"
        ) as it:
            spec_with(SAC | START, method="pbt", size=4)
        assert [problem["path"] for problem in it.value.problems] == ["algorithm.initial_temperature"]

    def test_the_trace_refuses_it_too(self, monkeypatch):
        unvalidated(monkeypatch)
        spec = spec_with(SAC | START, method="pbt", size=4)
        with pytest.raises(HyperparameterUnread, match="initial_temperature: only a new member reads it"):
            check_reads(*programs_of(spec))

    @pytest.mark.parametrize("method", ["random_search", "independent", "no_op"])
    def test_may_be_drawn_by_members_that_keep_what_they_drew(self, method):
        spec = spec_with(SAC | START, method=method, size=4)
        assert when_read(spec, "initial_temperature") == "birth"
        check_reads(*programs_of(spec))

    def test_may_move_where_resets_read_it_again(self):
        spec = spec_with(SAC | START, method="pbt", size=4, resets=400)
        assert when_read(spec, "initial_temperature") == "reset"
        check_reads(*programs_of(spec))
        with pytest.raises(SpecInvalid, match="only a new member reads it"):
            spec_with(SAC | START, method="pbt", size=4, resets={"interval": 400, "parts": ["actor"]})

    def test_may_move_where_the_temperature_is_fixed(self):
        check_reads(*programs_of(spec_with(SAC | START | {"temperature": "fixed"}, method="pbt", size=4)))

    def test_a_schedule_may_say_it_once(self):
        once = [{"step": 0, "values": {"initial_temperature": 0.5}}, {"step": 500, "values": {"discount": 0.9}}]
        again = [*once, {"step": 800, "values": {"initial_temperature": 0.7}}]
        spec = spec_with(SAC, method={"name": "schedule", "schedule": once})
        assert moved_hyperparameters(spec) == {"discount"}
        check_reads(*programs_of(spec))
        with pytest.raises(SpecInvalid, match="only a new member reads it, so what schedule changes it to"):
            spec_with(SAC, method={"name": "schedule", "schedule": again})

    def test_a_description_that_does_not_say_so_is_corrected(self, monkeypatch):
        unvalidated(monkeypatch)
        monkeypatch.setattr(reads, "when_read", lambda spec, name: "training")
        with pytest.raises(HyperparameterUnread, match="read initial_temperature at birth, not at training as"):
            check_reads(*programs_of(spec_with(SAC | START, method="random_search")))


def test_what_structure_switches_off_is_unread_in_the_trace_as_well(monkeypatch):
    unvalidated(monkeypatch)
    tuned = {"temperature": "fixed", "target_entropy_scale": {"uniform": [0.5, 1.0]}}
    with pytest.raises(HyperparameterUnread, match="target_entropy_scale is tuned, but no program of sac reads it"):
        check_reads(*programs_of(spec_with(SAC | tuned, method="random_search")))


def test_nothing_is_compiled_or_computed(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a program was compiled")

    monkeypatch.setattr("jax._src.compiler.compile_or_get_cached", refuse)
    spec = spec_with(SAC | {"discount": {"uniform": [0.901, 0.998]}}, method="pbt", size=4)
    check_reads(*programs_of(spec))
    with pytest.raises(AssertionError, match="compiled"):
        jax.jit(lambda x: x * np.float32(1.2345))(np.ones(7, np.float32))


def test_a_run_that_starts_has_metrics(small_spec, train_here):
    """Guard of the guard: the same spec, unpatched, trains."""
    events = train_here(small_spec | {"budget": {"env_steps": 100}})
    assert any(isinstance(event, Metrics) for event in events)
