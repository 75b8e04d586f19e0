"""What members are ranked by, against numbers computed by hand."""

import numpy as np
import pytest

from phylon.spec.fitness import ExponentialFitness, LastFitness, MeanFitness
from phylon.worker.population.fitness import empty_history, fitness_of, forget, inherit, remember

NAN = float("nan")


def history_of(spec, evaluations, errors=None):
    history = empty_history(spec, len(evaluations[0]))
    for number, means in enumerate(evaluations):
        spread = errors[number] if errors else np.zeros(len(means))
        history = remember(history, np.float32(means), np.float32(spread))
    return history


def test_the_last_evaluation_alone():
    fitness = fitness_of(spec := LastFitness(name="last"), history_of(spec, [[1, 2], [3, 4]], [[9, 9], [0.5, NAN]]))
    assert fitness.values.tolist() == [3, 4]
    assert fitness.errors[0] == 0.5
    assert np.isnan(fitness.errors[1])


def test_the_mean_of_those_there_are():
    spec = MeanFitness(name="mean", window=3)
    assert fitness_of(spec, history_of(spec, [[1.0], [4.0]])).values.tolist() == [2.5]
    full = fitness_of(spec, history_of(spec, [[100.0], [1.0], [4.0], [7.0]], [[9.0], [3.0], [3.0], [3.0]]))
    assert full.values.tolist() == [4.0]
    assert full.errors[0] == pytest.approx(3 / np.sqrt(3))


def test_the_older_count_less():
    spec = ExponentialFitness(name="exponential", decay=0.5, window=3)
    fitness = fitness_of(spec, history_of(spec, [[1.0], [4.0], [7.0]], [[1.0], [1.0], [1.0]]))
    assert fitness.values[0] == pytest.approx((0.25 * 1 + 0.5 * 4 + 7) / 1.75)
    assert fitness.errors[0] == pytest.approx(np.sqrt(0.0625 + 0.25 + 1) / 1.75)


@pytest.mark.parametrize(
    "spec", [LastFitness(name="last"), MeanFitness(name="mean"), ExponentialFitness(name="exponential")]
)
def test_who_has_no_latest_evaluation_has_no_fitness(spec):
    assert np.isnan(fitness_of(spec, history_of(spec, [[1.0], [NAN]])).values[0])


def test_a_child_inherits_its_parents_history():
    spec = MeanFitness(name="mean", window=2)
    history = inherit(history_of(spec, [[1.0, 10.0]]), np.int32([1, 1]))
    history = remember(history, np.float32([20.0, 30.0]), np.float32([0, 0]))
    assert fitness_of(spec, history).values.tolist() == [15.0, 20.0]


def test_after_a_reset_the_evaluations_before_it_do_not_count():
    spec = MeanFitness(name="mean", window=3)
    history = forget(history_of(spec, [[1.0, 10.0], [4.0, 40.0]]))
    assert np.isnan(fitness_of(spec, history).values).all()
    history = remember(history, np.float32([7.0, 70.0]), np.float32([0, 0]))
    assert fitness_of(spec, history).values.tolist() == [7.0, 70.0]
    history = remember(history, np.float32([9.0, 90.0]), np.float32([0, 0]))
    assert fitness_of(spec, history).values.tolist() == [8.0, 80.0]
