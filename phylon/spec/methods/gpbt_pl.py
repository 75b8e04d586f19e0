"""GPBT-PL: losers learn hyper-parameters from winners, with momentum, instead of copying and perturbing them."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.registry.descriptions import MethodDescription
from phylon.spec.evolving import Evolving
from phylon.spec.explore import Probability
from phylon.spec.selection import TruncationSelection

Weight = Annotated[float, Field(strict=True, ge=0, le=10)]


class GPBTPLSpec(Evolving):
    """Generalised PBT with pairwise learning (Bai & Cheng 2024, arXiv 2404.08233).

    A replaced member goes on with the weights of a better one, and its own hyper-parameters move towards those of that
    member: velocity = inertia * u1 * velocity + attraction * u2 * (better's - own), with u1 and u2 uniform in [0, 1].
    """

    name: Literal["gpbt_pl"]
    selection: TruncationSelection = TruncationSelection(name="truncation")
    inertia: Weight = 1.0
    attraction: Weight = 1.0
    resample: Probability = 0.25
    """How often a value is drawn from its prior instead; its velocity is then 0."""


GPBT_PL = MethodDescription(
    spec=GPBTPLSpec,
    engine="phylon.worker.population.gpbt_pl:gpbt_pl",
    title="GPBT-PL",
    summary="PBT whose losers move their own hyper-parameters towards a winner's, with momentum (Bai & Cheng 2024).",
    tuning="required",
    smallest_size=2,
)
