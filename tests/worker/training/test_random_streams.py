"""Random streams are part of the checkpoint format: a stored run must resume with the same draws in later releases."""

import jax
import jax.numpy as jnp
import numpy as np

from phylon.worker.core.keys import derive, member_keys, update_keys
from phylon.worker.core.types import EnvironmentInfo, Transition
from phylon.worker.replay import Replay
from phylon.worker.training.randomness import (
    environment_seeds,
    episodes_at_step,
    final_episodes,
    random_actions,
    run_key,
)

DISCRETE = EnvironmentInfo((1,), 5, None, is_discrete=True)


def test_seeds_of_environments():
    assert environment_seeds(3, "train", 2, 3).tolist() == [1351141450, 1788763034, 1098684262]
    assert environment_seeds(3, "evaluation", 0, 3).tolist() == [994233915, 183961286, 1333140443]


def test_episodes_of_evaluations():
    evaluation, final = episodes_at_step(3, 100, 2, 3), final_episodes(3, 1, 2, 3)
    assert evaluation.seeds.tolist() == [492874488, 857590094, 547541120]
    assert evaluation.keys.tolist() == [[664390478, 232811492], [2224387948, 3994659978]]
    assert final.seeds.tolist() == [1229832761, 1197399513, 1702024471]
    assert final.keys.tolist() == [[3591824329, 2301819154], [1841218668, 3546462293]]


def test_actions_of_the_warm_up():
    assert random_actions(3, 7, (2, 4), DISCRETE).tolist() == [[4, 3, 1, 1], [4, 3, 1, 2]]


def test_keys_of_members_and_updates():
    key = jax.random.wrap_key_data(jnp.asarray(run_key(3)))
    explore = jax.random.key_data(member_keys(derive(key, "explore", 5), 2))
    assert explore.tolist() == [
        [500651973, 2725205643],
        [4219572365, 1077601278],
    ]
    own = derive(key, "update", 1)  # of slot 1
    assert update_keys(own, 10, 2).tolist() == [[1916773226, 605108549], [3142665876, 2229688593]]


def test_samples_of_the_replay():
    replay = Replay(2, 100, DISCRETE)
    replay.add(Transition(*(np.zeros((2, 50, *shape)) for shape in ((1,), (), (), (), (1,)))))
    assert replay.draw(3, 4, 4).tolist() == [[27, 45, 29, 44], [111, 104, 102, 122]]
