"""Metrics of a run as columns."""

from phylon.contract.base import ReadModel, Real


class MetricSeries(ReadModel):
    name: str
    steps: list[int]
    """Of each tick; of a bucket of ticks, that of its last one."""
    wall: list[float]
    values: list[list[Real]]
    """One list per tick: one value per member, or a single value for the whole population. Of a bucket, the mean."""
    low: list[list[Real]]
    """The least value in each bucket; empty where every tick is here."""
    high: list[list[Real]]
    """The greatest value in each bucket; empty where every tick is here."""
    ticks: list[int]
    """How many ticks each bucket stands for; empty where every tick is here."""
    is_exact: bool
    """Every tick is here as it was reported; else buckets of ticks are. Ask for a smaller part to see its ticks."""


class RunMetrics(ReadModel):
    series: list[MetricSeries]
