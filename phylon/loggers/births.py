"""The lineage of a run as the rows of a table, for records that keep it as one."""

from pathlib import Path
from typing import NamedTuple

from phylon.contract.events import Lineage, Span
from phylon.spool import SPOOL_FILE, SpoolReader

COLUMNS = ["span", "member", "parent", "operator", "step", "hyperparameters"]


class Birth(NamedTuple):
    step: int
    span: Span


class Births:
    """Those of the past among them, where a run is taken up. A span that is born again takes the place of the first."""

    def __init__(self, folder: Path) -> None:
        self._found: dict[int, Birth] = {}
        for event in SpoolReader(folder / SPOOL_FILE).read():
            if isinstance(event, Lineage):
                self.add(event)

    def add(self, event: Lineage) -> None:
        self._found |= {span.id: Birth(event.step, span) for span in event.spans}

    def forget_after(self, step: int) -> None:
        self._found = {id: birth for id, birth in self._found.items() if birth.step <= step}

    def rows(self) -> list[list[int | str | None]]:
        return [
            [span.id, span.slot, span.parent, span.operator, step, _written(span)]
            for step, span in self._found.values()
        ]


def _written(span: Span) -> str:
    return " ".join(f"{name}={value:.6g}" for name, value in span.hyperparams.items())
