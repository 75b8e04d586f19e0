"""What a cell's process measures: a population that can be updated again and again."""

from typing import NamedTuple, Protocol

from phylon.spec import StudyCell


class Task(NamedTuple):
    """What one process has to do. The members of PyTorch's `parallel` cells are shared out among several."""

    cell: StudyCell
    members: int
    cores: tuple[int, ...]
    """Those that it may use."""
    device: str
    """`cpu`, or what the study's machine has."""
    warmup_calls: int
    measurements: str
    """Folder in which `auto` keeps what it measured."""
    only_choose: bool = False
    """Let `auto` measure, so that a later process has the choice without the others' memory and compilation."""


class Contender(Protocol):
    note: str | None

    def call(self) -> None:
        """`fused_updates` updates of every member, complete when it returns."""
        ...

    def peak_memory_bytes(self) -> int | None:
        """Of the device; None where the process's own memory is all there is."""
        ...


class NotApplicable(Exception):
    """This contender cannot do this work here; the text says why."""
