"""A bar that a benchmark has to reach: a ratio within one run, with the raw numbers that it comes from."""

from typing import NamedTuple

from benchmarks import report


class Bar(NamedTuple):
    what: str
    limit: float
    found: float
    raw: str
    is_ceiling: bool = False
    """Whether the number must stay below the limit instead of above it."""
    unit: str = "x"

    @property
    def is_reached(self) -> bool:
        return self.found <= self.limit if self.is_ceiling else self.found >= self.limit


def table(bars: list[Bar]) -> str:
    rows = [
        [
            bar.what,
            f"{'≤' if bar.is_ceiling else '≥'} {bar.limit:g}{bar.unit}",
            f"**{bar.found:.3g}{bar.unit}**",
            "yes" if bar.is_reached else "**no**",
            bar.raw,
        ]
        for bar in bars
    ]
    return report.table(["what", "must reach", "measured", "reached", "raw"], rows)
