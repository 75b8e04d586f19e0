"""What every contender of a cell works on: the algorithm at the cell's sizes, and synthetic data on the host.

Sizes of the data are those of fastpbrl's Figure 2: HalfCheetah's 17 observations and 6 actions, and for DQN four frames
of 84 x 84 pixels and 14 actions. An update is a gradient step; for PPO a call is one rollout of `fused_updates` steps
in `batch_size` environments, gone through once in as many minibatches of that size. No framework is imported here.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from phylon.registry import algorithms
from phylon.registry.descriptions import StudyDescription
from phylon.spec import AlgorithmSpec, StudyCell

VECTOR, ACTIONS = 17, 6
IMAGE, BUTTONS = (84, 84, 4), 14

_algorithm: TypeAdapter[AlgorithmSpec] = TypeAdapter(AlgorithmSpec)

Numbers = NDArray[Any]


class Data(NamedTuple):
    """One call's, [members, updates, batch, ...]; images as bytes, channels last. Episodes never end."""

    obs: Numbers
    action: Numbers
    reward: Numbers
    terminated: Numbers
    next_obs: Numbers


def study_of(cell: StudyCell) -> StudyDescription:
    study = algorithms()[cell.algorithm].study
    assert study is not None  # the language refuses a cell of any other algorithm
    return study


def algorithm_spec(cell: StudyCell) -> AlgorithmSpec:
    """With the algorithm's own defaults, the same for every member."""
    study = study_of(cell)
    network = {**study.network, "hidden": cell.hidden}
    structure = study.structure(cell.fused_updates, cell.batch_size)
    return _algorithm.validate_python({"name": cell.algorithm, "network": network, **structure})


def synthetic_data(cell: StudyCell, members: int, seed: int = 0) -> Data:
    """Uniform in [0, 1), as in fastpbrl, and different for each member."""
    random = np.random.default_rng(seed)
    lead = (members, cell.fused_updates, cell.batch_size)

    def floats(*shape: int) -> Numbers:
        return random.random((*lead, *shape), np.float32)

    ended = np.zeros(lead, np.float32)
    if study_of(cell).has_images:
        images = [random.integers(0, 256, (*lead, *IMAGE), np.uint8) for _ in range(2)]
        return Data(images[0], random.integers(0, BUTTONS, lead, np.int32), floats(), ended, images[1])
    return Data(floats(VECTOR), floats(ACTIONS), floats(), ended, floats(VECTOR))
