"""Toy algorithms: a few numbers climb a problem with a known answer; what is tested is the population method."""

from typing import Any, ClassVar, Literal

from phylon.catalogue.entry import EnvironmentEntry
from phylon.forecast.sizes import NOTHING, Learner
from phylon.registry.descriptions import AlgorithmDescription, MemoryDescription, StateDescription, always
from phylon.spec.distributions import LogUniform, Model, NonNegative, Positive, Uniform


class SurrogateAscentSpec(Model):
    """Climbs the surrogate of the PBT paper's Figure 2 (Jaderberg et al. 2017), from (0.9, 0.9).

    Wanted is the top of Q = 1.2 - theta_0² - theta_1², but a step follows the gradient of
    1.2 - weight_0 theta_0² - weight_1 theta_1². A member with a weight of 0 never arrives alone.
    """

    learns_from: ClassVar[Literal["rollout"]] = "rollout"
    rollout_steps: ClassVar[int] = 1

    name: Literal["surrogate_ascent"]
    weight_0: NonNegative = 1.0
    weight_1: NonNegative = 1.0
    learning_rate: Positive = 0.01


class TriangleClimbSpec(Model):
    """Ray Tune's toy: an accuracy from 0 to 200 grows fastest where the learning rate follows a triangle wave of it.

    The best rate rises from 0.001 to 0.01 at accuracy 100 and falls again. Off by a factor of 3 or more there is no
    gain, and a rate that is too large by more than that destroys what was learnt. All of it is noisy.
    """

    learns_from: ClassVar[Literal["rollout"]] = "rollout"
    rollout_steps: ClassVar[int] = 1

    name: Literal["triangle_climb"]
    learning_rate: Positive = 0.001


def _remembers(numbers: int) -> MemoryDescription:
    """A member is a few numbers, and learns from nothing."""

    def learner(spec: Any, entry: EnvironmentEntry, envs_per_member: int) -> Learner:
        del spec, entry, envs_per_member
        return Learner(NOTHING, numbers)

    return MemoryDescription(learner, _one_row)


def _one_row(spec: Any, transitions: int) -> int:
    del spec, transitions
    return 1


SURROGATE_ASCENT = AlgorithmDescription(
    spec=SurrogateAscentSpec,
    engine="phylon.worker.algorithms.toy:surrogate_ascent",
    title="Surrogate ascent (toy)",
    summary="Climbs the surrogate of the PBT paper's Figure 2; its action is where it stands.",
    defaults_source="the paper's figure (Jaderberg et al. 2017)",
    search_space={"weight_0": Uniform(uniform=(0.0, 1.0)), "weight_1": Uniform(uniform=(0.0, 1.0))},
    search_source="ours: between the two founders of the paper's figure, (1, 0) and (0, 1)",
    actions=frozenset({"box"}),
    memory=_remembers(2),
    state=always(StateDescription(network=("theta",))),
    scales={"learning_rate": "log"},
    home=("toy", "Figure2-v0"),
)

TRIANGLE_CLIMB = AlgorithmDescription(
    spec=TriangleClimbSpec,
    engine="phylon.worker.algorithms.toy:triangle_climb",
    title="Triangle climb (toy)",
    summary="An accuracy that grows fastest where the learning rate follows a triangle wave of it.",
    defaults_source="Ray Tune's benchmark of population based training",
    search_space={"learning_rate": LogUniform(log_uniform=(1e-4, 2e-2))},
    search_source="ours: a little beyond the rates between which the best one moves, 0.001 and 0.01",
    actions=frozenset({"box"}),
    memory=_remembers(1),
    state=always(StateDescription(network=("accuracy",))),
    scales={"learning_rate": "log"},
    home=("toy", "TriangleWave-v0"),
)
