"""Members that never copy each other: seeds, and the control of random search."""

from typing import Literal

from phylon.registry.descriptions import MethodDescription
from phylon.spec.distributions import Model


class IndependentSpec(Model):
    """Members that know nothing of each other: as many seeds in one program."""

    name: Literal["independent"]


class RandomSearchSpec(Model):
    """A control: each member keeps the hyper-parameters that it drew, and nobody is copied."""

    name: Literal["random_search"]


INDEPENDENT = MethodDescription(
    spec=IndependentSpec,
    engine="phylon.worker.population.independent:independent",
    title="Independent seeds",
    summary="Members that know nothing of each other.",
    moves_hyperparameters=False,
    is_sample_per_member=True,
)

RANDOM_SEARCH = MethodDescription(
    spec=RandomSearchSpec,
    engine="phylon.worker.population.independent:independent",
    title="Random search",
    summary="Control: each member keeps what it drew, nobody is copied.",
    tuning="required",
    moves_hyperparameters=False,
)
