"""Metric frames read as columns."""

from phylon.backend.kit.schema import Real, Schema


class MetricSeries(Schema):
    name: str
    steps: list[int]
    wall: list[float]
    values: list[list[Real]]
    """One list a tick: one value a member, or a single value for the whole population."""


class RunMetrics(Schema):
    series: list[MetricSeries]
