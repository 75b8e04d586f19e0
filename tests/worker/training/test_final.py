"""The end of a run: returns in episodes that no selection saw, with their interval, the same after an interruption."""

import numpy as np
import pytest
from scipy import stats

from phylon.contract.events import Finished
from phylon.statistics.student import half_widths, t_quantile
from phylon.worker.core.commands import Commands
from phylon.worker.population.fitness import Fitness
from phylon.worker.training import boundary, final
from phylon.worker.training.evaluate import HostEvaluator
from phylon.worker.training.randomness import episodes_at_step

from .runs import frames_of, kinds, last_arrays, reproducible

EPISODES = 5
"""Not a multiple of the two that an evaluation has."""


@pytest.fixture
def spec(small_spec):
    small_spec["evaluation"]["final"] = EPISODES
    return small_spec | {"budget": {"env_steps": 200}}


@pytest.fixture
def played(monkeypatch):
    """(seeds, returns) of every round of episodes that all members played, in order."""
    rounds = []
    play = HostEvaluator._play

    def remember(self, environments, actor, episodes):
        evaluation = play(self, environments, actor, episodes)
        rounds.append((episodes.seeds, evaluation.returns))
        return evaluation

    monkeypatch.setattr(HostEvaluator, "_play", remember)
    return rounds


class Interrupting(Commands):
    """Comes with a command after so many looks at it."""

    def __init__(self, command, looks):
        self.command, self.looks = command, looks

    @property
    def wanted(self):
        self.looks -= 1
        return self.command if self.looks < 0 else None


def check_that_nothing_was_seen_before(played):
    """Three rounds end a run whose first ones are evaluations: no episode of theirs was played in training."""
    before, after = played[:-3], played[-3:]
    assert before
    seen, final_seeds = (np.concatenate([seeds for seeds, _ in rounds]) for rounds in (before, after))
    assert not np.intersect1d(seen, final_seeds).size
    assert len(np.unique(final_seeds)) == final_seeds.size


def test_the_winner_is_measured_in_episodes_that_no_selection_saw(spec, train_here, played):
    events = train_here(spec)
    check_that_nothing_was_seen_before(played)
    finished = events[-1]
    assert isinstance(finished, Finished) and finished.final
    result, last = finished.final, frames_of(events, "evaluation/return")[200]
    assert result.member == finished.best_member == int(np.argmax(last)), "chosen before the final episodes"
    returns = np.concatenate([own for _, own in played[-3:]], axis=1)[:, :EPISODES]
    own = returns[result.member]
    low, high = stats.t.interval(0.95, EPISODES - 1, loc=own.mean(), scale=stats.sem(own))
    assert (result.mean, result.stderr) == pytest.approx((own.mean(), stats.sem(own)))
    assert (result.low, result.high, result.episodes) == pytest.approx((low, high, EPISODES))
    assert result.last_return == pytest.approx(last[result.member])
    assert result.selection_bias == pytest.approx(result.last_return - result.mean)
    assert not result.unseen_levels
    for name, values in (("return", returns.mean(axis=1)), ("return_stderr", stats.sem(returns, axis=1))):
        assert frames_of(events, f"final/{name}")[200] == pytest.approx(values)
    assert kinds(events)[-4:] == ["checkpoint", "metrics", "policy", "finished"]


def test_episodes_of_the_last_evaluation_would_be_noticed(spec, train_here, played, monkeypatch):
    monkeypatch.setattr(final, "final_episodes", lambda seed, round, *shape: episodes_at_step(seed, 200, *shape))
    train_here(spec)
    with pytest.raises(AssertionError):
        check_that_nothing_was_seen_before(played)


@pytest.mark.parametrize("command", ["yield", "stop"])
def test_an_interruption_in_the_final_evaluation_changes_nothing(spec, train_here, tmp_path, command):
    undisturbed = train_here(spec, "undisturbed")
    # Ten segments look for commands, then each of three rounds: it comes in the second.
    interrupted = train_here(spec, commands=Interrupting(command, 11))
    assert kinds(interrupted)[-1] == ("checkpoint" if command == "yield" else "stopped")
    assert not frames_of(interrupted, "final/return")
    resumed = train_here(spec)
    assert [event.step for event in resumed if event.kind == "started"] == [0, 200]
    assert reproducible(resumed) == reproducible(undisturbed)
    expected, found = last_arrays(tmp_path / "undisturbed"), last_arrays(tmp_path / "run")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def test_a_crash_in_the_final_evaluation_changes_nothing(spec, train_here, monkeypatch):
    undisturbed = train_here(spec, "undisturbed")
    with monkeypatch.context() as patch:
        patch.setattr(final, "_frames", lambda returns: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            train_here(spec)
    assert reproducible(train_here(spec)) == reproducible(undisturbed)


def test_a_member_that_diverged_has_no_final_return(spec, train_here):
    """A learning rate of 1e30 makes the first loss infinite; without copies nobody takes the place of that member."""
    spec["algorithm"]["critic_learning_rate"] = {"choice": [3e-4, 1e30]}
    spec["population"] |= {
        "method": {"name": "independent"},
        "founders": {"critic_learning_rate": [1e30, 3e-4, 3e-4, 3e-4]},
    }
    events = train_here(spec)
    assert np.isnan(frames_of(events, "final/return")[200]).tolist() == [True, False, False, False]
    assert events[-1].final.member != 0 and np.isfinite(events[-1].final.mean)


def test_a_member_without_fitness_has_a_final_return(spec, train_here, monkeypatch):
    """Such as one that ended no episode in training where those are what it is ranked by."""
    fitness_of = boundary.fitness_of

    def without_first(*arguments):
        values, errors = fitness_of(*arguments)
        values[0] = np.nan
        return Fitness(values, errors)

    monkeypatch.setattr(boundary, "fitness_of", without_first)
    spec["population"]["method"] = {"name": "independent"}
    events = train_here(spec)
    assert np.isfinite(frames_of(events, "final/return")[200]).all()
    assert events[-1].final.member != 0


def test_no_final_evaluation(spec, train_here):
    spec["evaluation"]["final"] = 0
    events = train_here(spec)
    assert events[-1].final is None
    assert not frames_of(events, "final/return")


def test_one_episode_has_no_interval(spec, train_here):
    spec["evaluation"]["final"] = 1
    result = train_here(spec)[-1].final
    assert np.isfinite(result.mean) and np.isnan([result.stderr, result.low, result.high]).all()


def test_nothing_is_compiled_and_progress_is_printed(spec, train_here, capsys, monkeypatch):
    compiled = []
    play = final._play

    def watched(attempt):
        before = attempt.stopwatch.compilations
        returns = play(attempt)
        compiled.append(attempt.stopwatch.compilations - before)
        return returns

    monkeypatch.setattr(final, "_play", watched)
    train_here(spec)
    assert compiled == [0]
    output = capsys.readouterr().out
    assert [f"final evaluation: {done} of 5 episodes per member" in output for done in (2, 4, 5)] == [True] * 3
    assert "in 5 unseen episodes" in output


def test_the_mean_of_a_search_plays_the_same_episodes_as_its_members(spec, train_here, played):
    spec["algorithm"] = {"name": "td3", "batch_size": 8, "network": {"hidden": [8]}}
    spec["population"]["method"] = {"name": "cem_rl", "interval": 100}
    spec["replay"] |= {"sharing": "shared", "capacity": 500}
    spec["execution"]["strategy"] = "auto"
    events = train_here(spec)
    pairs = list(zip(played[::2], played[1::2], strict=True))
    assert len(pairs) == 2 + 3  # evaluations, and rounds at the end
    for (seeds, returns), (seeds_of_centre, returns_of_centre) in pairs:
        np.testing.assert_array_equal(seeds, seeds_of_centre)
        np.testing.assert_array_equal(returns_of_centre, np.broadcast_to(returns_of_centre[:1], returns.shape))
    assert len({seeds.tobytes() for (seeds, _), _ in pairs}) == len(pairs)
    centre = np.concatenate([returns[0] for _, (_, returns) in pairs[2:]])[:EPISODES]
    assert frames_of(events, "population/final_mean_policy_return")[200] == pytest.approx([centre.mean()])


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 49, 998, 999])
def test_quantiles_of_students_t(freedom):
    assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-8)


def test_an_interval_by_hand():
    """1, 2, 3: deviation 1, error 1 / sqrt(3), and 4.3027 for two degrees of freedom."""
    assert half_widths(np.array([[1.0, 2.0, 3.0]])) == pytest.approx([4.302653 / np.sqrt(3)], rel=1e-6)
