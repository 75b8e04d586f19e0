"""Toy algorithms: a few numbers climb a problem with a known answer; what is tested is the population method."""

from typing import ClassVar, Literal

from phylon.spec.distributions import Model, NonNegative, Positive


class SurrogateAscentSpec(Model):
    """Climbs the surrogate of the PBT paper's Figure 2 (Jaderberg et al. 2017), from (0.9, 0.9).

    Wanted is the top of Q = 1.2 - theta_0² - theta_1², but a step follows the gradient of
    1.2 - weight_0 theta_0² - weight_1 theta_1². Whoever has a weight of 0 never arrives alone.
    """

    learns_from: ClassVar[Literal["rollout"]] = "rollout"
    rollout_steps: ClassVar[int] = 1
    environment: ClassVar[str] = "Figure2-v0"

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
    environment: ClassVar[str] = "TriangleWave-v0"

    name: Literal["triangle_climb"]
    learning_rate: Positive = 0.001


ToySpec = SurrogateAscentSpec | TriangleClimbSpec
"""Each says by `environment` what of the suite `toy` it climbs: its action is where it stands, its return how high."""
