"""From what someone wrote to what will run."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phylon.catalogue import EnvironmentEntry, entries
from phylon.registry import algorithms, methods
from phylon.registry.descriptions import AlgorithmDescription, MethodDescription
from phylon.spec import ExperimentSpec, SpecInvalid, read_yaml, segment_steps, spec_to_json, spec_to_yaml, tuned
from phylon.spec.algorithms.observations import candidate_networks
from phylon.spec.evolving import Evolving
from phylon.spec.overrides import put
from phylon.spec.resolve import expand, resolve
from phylon.spec.selection import replaced_members

FOUR_LINES = """
environment: HalfCheetah-v5     # suite found in the catalogue
algorithm: td3
population: 8                   # PBT over the algorithm's recommended search space
budget: 1_000_000
"""


@pytest.fixture
def short() -> dict[str, Any]:
    return read_yaml(FOUR_LINES)


def notes_of(document: dict[str, Any]) -> dict[str, str]:
    return {note["path"]: note["message"] for note in resolve(document).notes}


def test_four_lines_are_a_whole_spec(short: dict[str, Any]):
    spec, notes = resolve(short)
    assert (spec.version, spec.kind, spec.name) == (2, "training", "td3-pbt-HalfCheetah-v5")
    assert (spec.environment.suite, spec.environment.id) == ("gymnasium", "HalfCheetah-v5")
    assert [note["path"] for note in notes] == ["environment.suite"]
    assert (spec.population.size, spec.population.method.name) == (8, "pbt")
    assert (spec.execution.segment_steps, spec.budget.env_steps) == (50, 1_000_000)
    assert (spec.evaluation.interval, spec.evaluation.episodes) == (10_000, 10)
    assert (spec.population.method.interval, spec.population.method.burn_in) == (50_000, 0)
    assert (spec.checkpoint.interval, spec.metrics.interval) == (100_000, 1_000)
    assert (spec.replay.capacity, spec.replay.ratio, spec.replay.warmup) == (300_000, 1.0, 25_000)
    assert set(tuned(spec.algorithm)) == set(algorithms()["td3"].search_space)


class TestShortForms:
    def test_alone(self):
        spec = resolve({"environment": "Pendulum-v1", "algorithm": "sac", "budget": "20k"}).spec
        assert (spec.population.size, spec.population.method.name) == (1, "independent")
        assert not tuned(spec.algorithm)

    def test_names_and_numbers_of_sections(self, short: dict[str, Any]):
        short |= {"population": {"size": "16", "method": "random_search"}, "evaluation": "20k", "videos": 1e5}
        spec = resolve(short | {"execution": "vectorized", "metrics": 2_000, "checkpoint": "0.2M"}).spec
        assert (spec.population.size, spec.population.method.name) == (16, "random_search")
        assert (spec.evaluation.interval, spec.videos.interval, spec.metrics.interval) == (20_000, 100_000, 2_000)
        assert (spec.execution.strategy, spec.checkpoint.interval) == ("vectorized", 200_000)

    def test_parts_of_a_method(self, short: dict[str, Any]):
        method = {"selection": "binary_tournament", "explore": "resample", "fitness": "mean"}
        method = resolve(short | {"population": {"size": 4, "method": method}}).spec.population.method
        assert (method.name, method.selection.name, method.explore.name, method.fitness.name) == (
            "pbt", "binary_tournament", "resample", "mean",
        )  # fmt: skip

    def test_texts_that_are_numbers(self, short: dict[str, Any]):
        short["algorithm"] = {
            "name": "td3",
            "batch_size": "1k",
            "discount": "9.9e-1",
            "policy_learning_rate": {"log_uniform": ["1e-5", "1e-3"]},
            "network": {"hidden": ["64", 64.0]},
        }
        algorithm = resolve(short).spec.algorithm
        assert (algorithm.batch_size, algorithm.discount, algorithm.network.hidden) == (1000, 0.99, (64, 64))
        assert algorithm.policy_learning_rate.log_uniform == (1e-5, 1e-3)

    def test_paths_lead_into_short_forms(self, short: dict[str, Any]):
        document = expand(short)
        put(document, "environment.envs_per_member", 2)
        put(document, "population.method.interval", "100k")
        spec = resolve(document).spec
        assert (spec.environment.envs_per_member, spec.population.method.name) == (2, "pbt")
        assert spec.population.method.interval == 100_000

    @pytest.mark.parametrize("id", ["Jumanji/Snake-v1", "HalfCheetah-v5"])
    def test_names_are_legal_and_always_the_same(self, short: dict[str, Any], id: str):
        document = {"environment": id, "algorithm": "ppo" if "/" in id else "td3", "budget": "100k"}
        try:
            names = {resolve(document).spec.name for _ in range(2)}
        except SpecInvalid as error:  # what the algorithm cannot play has a name nevertheless
            assert not any(problem["path"] == "name" for problem in error.problems)
        else:
            assert len(names) == 1


class TestSearch:
    def test_one_distribution_of_the_writer_is_all_that_is_tuned(self, short: dict[str, Any]):
        short["algorithm"] = {"name": "td3", "discount": {"uniform": [0.9, 0.99]}}
        assert list(tuned(resolve(short).spec.algorithm)) == ["discount"]

    def test_numbers_of_the_writer_stay_fixed(self, short: dict[str, Any]):
        short["algorithm"] = {"name": "td3", "discount": 0.98}
        algorithm = resolve(short).spec.algorithm
        assert algorithm.discount == 0.98
        assert set(tuned(algorithm)) == set(algorithms()["td3"].search_space) - {"discount"}

    def test_recommended_beside_the_writers(self, short: dict[str, Any]):
        short |= {"algorithm": {"name": "td3", "discount": {"uniform": [0.5, 0.6]}}, "search": "recommended"}
        algorithm = resolve(short).spec.algorithm
        assert set(tuned(algorithm)) == set(algorithms()["td3"].search_space)
        assert algorithm.discount.uniform == (0.5, 0.6)

    def test_none_is_refused_by_a_method_that_needs_it(self, short: dict[str, Any]):
        with pytest.raises(SpecInvalid, match="nothing to tune") as caught:
            resolve(short | {"search": "none"})
        (problem,) = caught.value.problems
        field = problem["remedy"].split("e.g. ")[1].split(":")[0]
        assert field in algorithms()["td3"].search_space, "a remedy names a field that this algorithm has"

    def test_a_wish_that_nobody_knows(self, short: dict[str, Any]):
        with pytest.raises(SpecInvalid) as caught:
            resolve(short | {"search": "everything"})
        assert [problem["path"] for problem in caught.value.problems] == ["search"]

    def test_numbers_that_nothing_reads_are_left_out(self, short: dict[str, Any]):
        short["algorithm"] = {"name": "sac", "temperature": "fixed"}
        assert not {"temperature_learning_rate", "target_entropy_scale"} & set(tuned(resolve(short).spec.algorithm))


class TestLengthsThatDoNotFit:
    """They are moved to the next border and reported."""

    @pytest.mark.parametrize(
        ("changes", "path", "used"),
        [
            ({"budget.env_steps": 10_030}, "budget.env_steps", 10_050),
            ({"evaluation.interval": 1_010}, "evaluation.interval", 1_050),
            ({"metrics.interval": 1}, "metrics.interval", 50),
            ({"checkpoint.interval": "2.01k"}, "checkpoint.interval", 2_050),
            ({"replay.warmup": 1_020}, "replay.warmup", 1_050),
            ({"population.method.interval": 2_500}, "population.method.interval", 3_000),
            ({"videos": {"interval": 1_500}}, "videos.interval", 2_000),
            ({"replay.ratio": 0.03}, "execution.segment_steps", 100),
            ({"environment.envs_per_member": 3}, "execution.segment_steps", 51),
            ({"replay.ratio": 0.33333}, "replay.ratio", 1 / 3),
        ],
    )
    def test_replay(self, changes: dict[str, Any], path: str, used: float):
        document = {
            "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
            "algorithm": {"name": "td3"},
            "population": {"size": 4},
            "budget": {"env_steps": 12_000},
            "evaluation": {"interval": 1_000},
            "execution": {"segment_steps": 50},
        }
        for place, value in changes.items():
            put(document, place, value)
        spec, notes = resolve(document)
        reported = {note["path"]: note["message"] for note in notes}
        assert path in reported and "is used" in reported[path]
        value: Any = spec
        for key in path.split("."):
            value = getattr(value, key)
        assert value == pytest.approx(used)
        assert_fits(spec)

    def test_rollouts(self):
        document = {"environment": "CartPole-v1", "algorithm": "ppo", "budget": "1M"}
        spec, notes = resolve(document)
        assert spec.budget.env_steps == 1_001_472
        assert {
            "path": "budget.env_steps",
            "message": "1M is not a whole number of segments of 2,048 steps; 1,001,472 is used",
        } in notes
        document["algorithm"] = {"name": "ppo", "rollout_steps": 100, "minibatches": 16}
        spec, notes = resolve(document)
        assert spec.algorithm.rollout_steps == 112 and "algorithm.rollout_steps" in [note["path"] for note in notes]

    def test_schedules(self):
        entries = [{"step": 0, "values": {"discount": "9e-1"}}, {"step": "1.01k", "values": {"discount": 0.95}}]
        method = {"name": "schedule", "schedule": entries}
        document = {"environment": "Pendulum-v1", "algorithm": "td3", "budget": "20k", "population": {"method": method}}
        spec, notes = resolve(document)
        assert [entry.step for entry in spec.population.method.schedule] == [0, 1_050]
        assert "population.method.schedule.1.step" in [note["path"] for note in notes]

    def test_what_was_written_is_kept_where_a_default_can_give_way(self, short: dict[str, Any]):
        document = short | {"budget": 999_999, "population": {"size": 4, "method": {"interval": 111_111}}}
        spec, notes = resolve(document)
        assert spec.budget.env_steps == 999_999 and spec.population.method.interval == 111_111
        assert [note["path"] for note in notes] == ["environment.suite"]


class TestDefaultsThatGiveWay:
    def test_nobody_is_selected_while_actions_are_random(self, short: dict[str, Any]):
        spec = resolve(short | {"budget": "100k"}).spec
        assert (spec.replay.warmup, spec.population.method.interval, spec.population.method.burn_in) == (
            10_000, 5_000, 10_000,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("algorithm", "environment", "kind"),
        [
            ("dqn", {"suite": "gymnasium", "id": "CartPole-v1"}, "mlp"),
            ("dqn", {"suite": "envpool", "id": "Pong-v5"}, "cnn"),
            ("ppo", {"suite": "envpool", "id": "BigfishEasy-v0"}, "cnn"),
            ("drac", {"suite": "envpool", "id": "BigfishEasy-v0"}, "impala"),
        ],
    )
    def test_the_network_sees_what_there_is(self, algorithm: str, environment: dict[str, Any], kind: str):
        spec = resolve({"environment": environment, "algorithm": algorithm, "budget": "1M"}).spec
        assert spec.algorithm.network.kind == kind

    @pytest.mark.parametrize(
        ("size", "frequencies"), [(8, (1, 10)), (12, (1, 10, 25)), (16, (1, 10, 25, 50)), (10, (1, 10))]
    )
    def test_parts_of_a_small_population(self, short: dict[str, Any], size: int, frequencies: tuple[int, ...]):
        population = resolve(short | {"population": {"size": size, "method": "mf_pbt"}}).spec.population
        assert population.method.frequencies == frequencies
        assert population.size == (16 if size == 10 else size)

    @pytest.mark.parametrize("size", [2, 3, 4, 7])
    def test_truncation_of_a_small_population(self, short: dict[str, Any], size: int):
        method = resolve(short | {"population": size}).spec.population.method
        assert method.selection.bottom == 0.25
        assert replaced_members(size, method.selection) == {2: 1, 3: 1, 4: 1, 7: 2}[size]

    def test_one_member_cannot_be_selected_from(self, short: dict[str, Any]):
        with pytest.raises(SpecInvalid) as caught:
            resolve(short | {"population": {"size": 1, "method": "pbt"}})
        assert [problem["path"] for problem in caught.value.problems] == ["population.size"]

    def test_a_batch_fits_into_a_small_ring(self, short: dict[str, Any]):
        spec = resolve(short | {"replay": {"capacity": 100}}).spec
        assert spec.algorithm.batch_size == 100

    def test_joint_methods_share_a_replay(self, short: dict[str, Any]):
        assert resolve(short | {"population": {"size": 4, "method": "cem_rl"}}).spec.replay.sharing == "shared"

    @pytest.mark.parametrize(
        ("environment", "budget", "episodes"),
        [
            ("HalfCheetah-v5", "1M", 50),  # 1,000 steps each
            ("Pendulum-v1", "2k", 10),  # no longer than training, but at least 10
            ("Pendulum-v1", "5k", 25),
            ({"suite": "envpool", "id": "Pong-v5"}, "10M", 10),  # 27,000 steps each
        ],
    )
    def test_long_episodes_are_fewer_in_the_final_evaluation(self, environment: Any, budget: str, episodes: int):
        algorithm = "dqn" if isinstance(environment, dict) else "td3"
        short = {"environment": environment, "algorithm": algorithm, "budget": budget}
        assert resolve(short).spec.evaluation.final == episodes
        assert resolve(short | {"evaluation": {"final": 7}}).spec.evaluation.final == 7

    @pytest.mark.parametrize(
        ("algorithm", "environment", "policy", "epsilon"),
        [
            ("td3", {"id": "HalfCheetah-v5"}, "mode", 0),
            ("sac", {"id": "HalfCheetah-v5"}, "mode", 0),
            ("ppo", {"id": "HalfCheetah-v5"}, "mode", 0),
            ("dqn", {"id": "CartPole-v1"}, "mode", 0),
            ("dqn", {"suite": "envpool", "id": "Pong-v5"}, "mode", 0.05),
            ("ppo", {"suite": "envpool", "id": "Pong-v5"}, "sample", 0),
            ("drac", {"suite": "envpool", "id": "BigfishEasy-v0"}, "sample", 0),
        ],
    )
    def test_members_are_evaluated_as_the_references_do(
        self, algorithm: str, environment: dict[str, Any], policy: str, epsilon: float
    ):
        short = {"environment": environment, "algorithm": algorithm, "budget": "1M"}
        evaluation = resolve(short).spec.evaluation
        assert (evaluation.policy, evaluation.epsilon) == (policy, epsilon)

    def test_another_policy_may_be_written(self):
        short = {"environment": "Pong-v5", "algorithm": "dqn", "budget": "1M"}
        assert resolve(short | {"evaluation": {"epsilon": 0}}).spec.evaluation.epsilon == 0
        sampled = {"environment": "HalfCheetah-v5", "algorithm": "sac", "budget": "1M"}
        assert resolve(sampled | {"evaluation": {"policy": "sample"}}).spec.evaluation.policy == "sample"

    def test_options_of_a_family_are_written_down(self):
        spec = resolve({"environment": "Pong-v5", "algorithm": "dqn", "budget": "1M"}).spec
        assert spec.environment.atari is not None and spec.environment.procgen is None


def assert_fits(spec: ExperimentSpec) -> None:
    """What the trainer relies on."""
    segment, evaluation = segment_steps(spec), spec.evaluation.interval
    lengths = [spec.budget.env_steps, evaluation, spec.metrics.interval, spec.checkpoint.interval]
    if spec.replay is not None:
        lengths.append(spec.replay.warmup)
        assert segment % spec.environment.envs_per_member == 0
        updates = segment * spec.replay.ratio
        assert updates == pytest.approx(round(updates)) and round(updates) >= 1
        assert spec.replay.warmup < spec.budget.env_steps
    else:
        assert segment % getattr(spec.algorithm, "minibatches", 1) == 0
    method = spec.population.method
    if isinstance(method, Evolving) and method.unit == "steps":
        assert method.interval % evaluation == 0
        lengths.append(method.interval)
    if spec.videos is not None:
        assert spec.videos.interval % evaluation == 0
    assert all(length % segment == 0 for length in lengths), (segment, lengths)


def playable(algorithm: AlgorithmDescription, entry: EnvironmentEntry) -> bool:
    """Whether any network of the algorithm could play it."""
    residents = [other.home for other in algorithms().values() if other.home is not None]
    if algorithm.home is not None or (entry.suite, entry.id) in residents:
        return algorithm.home == (entry.suite, entry.id)
    if entry.action.kind not in algorithm.actions:
        return False
    for network in candidate_networks({}, entry.observation):
        try:
            spec = algorithm.spec.model_validate({"name": algorithm.name} | ({"network": network} if network else {}))
        except ValueError:
            continue
        if algorithm.observes(spec, entry.observation) is None:
            return True
    return False


WORKS = {name: [entry for entry in entries() if playable(algorithm, entry)] for name, algorithm in algorithms().items()}
BUDGETS = st.one_of(
    st.integers(1, 300), st.integers(1, 10**6), st.integers(1, 10**10), st.sampled_from(["1M", "250k", "1e9", 10**10])
)


@st.composite
def minimal(draw: st.DrawFn) -> dict[str, Any]:
    """What a newcomer may write: no more than what has to be, and a length or two."""
    algorithm = draw(st.sampled_from(sorted(WORKS)))
    entry = draw(st.sampled_from(WORKS[algorithm]))
    able = [name for name, method in methods().items() if suits(method, algorithms()[algorithm])]
    size = draw(st.integers(2, 100))
    document: dict[str, Any] = {"algorithm": algorithm, "budget": draw(BUDGETS)}
    is_first = next(other for other in entries() if other.id == entry.id) == entry or entry.suite == "gymnasium"
    document["environment"] = entry.id if is_first and draw(st.booleans()) else {"suite": entry.suite, "id": entry.id}
    match draw(st.sampled_from(["none", "size", "method", "both"])):
        case "size":
            document["population"] = size
        case "method":
            document["population"] = {"method": draw(st.sampled_from(able))}
        case "both":
            document["population"] = {"size": size, "method": draw(st.sampled_from(able))}
    return document


def suits(method: MethodDescription, algorithm: AlgorithmDescription) -> bool:
    """A schedule has to be written; categories have to be there, or to be made of a number."""
    is_minimal = "schedule" not in method.spec.model_fields
    return is_minimal and method.can_train(algorithm)


@settings(max_examples=300, deadline=None)
@given(minimal())
def test_every_minimal_spec_is_valid_and_resolves_to_itself(document: dict[str, Any]):
    spec, _ = resolve(document)
    assert_fits(spec)
    for again in (spec_to_json(spec), read_yaml(spec_to_yaml(spec))):
        assert resolve(again) == (spec, [])


@settings(max_examples=300, deadline=None)
@given(minimal(), st.data())
def test_what_follows_from_the_budget_is_sensible(document: dict[str, Any], data: st.DataObject):
    spec, _ = resolve(document)
    budget, segment = spec.budget.env_steps, segment_steps(spec)
    segments = budget // segment
    evaluations = math.ceil(budget / spec.evaluation.interval)
    assert evaluations <= max(160, segments) and evaluations >= min(3, segments)
    assert budget / spec.checkpoint.interval <= 20
    if spec.replay is not None:
        assert spec.replay.warmup <= budget / 10
    if isinstance(spec.population.method, Evolving):
        assert spec.population.method.interval <= budget


CHANGES: dict[str, st.SearchStrategy[Any]] = {
    "evaluation.interval": st.integers(1, 10**6),
    "metrics.interval": st.integers(1, 10**5),
    "checkpoint.interval": st.integers(1, 10**6),
    "environment.envs_per_member": st.integers(1, 64),
    "population.method.interval": st.integers(1, 10**6),
    "population.method.burn_in": st.integers(0, 10**6),
    "population.method.unit": st.sampled_from(["steps", "updates"]),
    "population.method.selection.top": st.floats(0.01, 0.99),
    "replay.ratio": st.floats(1e-4, 128),
    "replay.capacity": st.integers(1, 10**6),
    "replay.warmup": st.integers(0, 10**5),
    "algorithm.batch_size": st.integers(1, 4096),
    "algorithm.rollout_steps": st.integers(1, 5000),
    "algorithm.minibatches": st.integers(1, 64),
    "execution.segment_steps": st.integers(1, 5000),
    "videos.interval": st.integers(1, 10**6),
}


@settings(max_examples=500, deadline=None)
@given(minimal(), st.data())
def test_what_was_left_out_is_never_the_problem(document: dict[str, Any], data: st.DataObject):
    document = expand(document)
    written = data.draw(st.dictionaries(st.sampled_from(sorted(CHANGES)), st.none(), max_size=5))
    for path in written:
        put(document, path, data.draw(CHANGES[path]))
    try:
        spec, notes = resolve(document)
    except SpecInvalid as error:
        for problem in error.problems:
            assert is_written(document, problem["path"]), problem
    else:
        assert_fits(spec)
        assert resolve(spec_to_json(spec)) == (spec, [])
        for note in notes:
            assert is_written(document, note["path"]) or note["path"] == "environment.suite", note


def is_written(document: Any, path: str) -> bool:
    for key in path.split("."):
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
