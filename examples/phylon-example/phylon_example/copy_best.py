"""A method as specs see it: at every interval the worst member becomes a copy of the best."""

from typing import Literal

from phylon.registry.descriptions import MethodDescription
from phylon.spec.evolving import Evolving


class CopyBestSpec(Evolving):
    """`Evolving` brings interval, unit, burn_in and fitness."""

    name: Literal["copy_best"]
    spread: float = 0.2
    """The copy's hyper-parameters move by up to this share of their range."""


COPY_BEST = MethodDescription(
    spec=CopyBestSpec,
    engine="phylon_example.copy_best_engine:copy_best",
    title="Copy the best",
    summary="The worst member copies the best and moves its hyper-parameters a little.",
    tuning="required",
    smallest_size=2,
)
