"""Metrics of a run as columns."""

from phylon.contract.base import ReadModel, Real


class MetricSeries(ReadModel):
    name: str
    steps: list[int]
    wall: list[float]
    values: list[list[Real]]
    """One list per tick: one value per member, or a single value for the whole population."""


class RunMetrics(ReadModel):
    series: list[MetricSeries]
