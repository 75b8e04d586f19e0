"""What a cell's process measures: a population that can be updated again and again."""

from typing import NamedTuple, Protocol

from phylon.spec import StudyCell


class Task(NamedTuple):
    """The work of one process. The members of PyTorch's `parallel` cells are divided among several."""

    cell: StudyCell
    members: int
    cores: tuple[int, ...]
    """That it may use."""
    device: str
    """`cpu`, or what the study's machine has."""
    warmup_calls: int
    measurements: str
    """Folder in which `auto` keeps what it measured."""
    only_choose: bool = False
    """Let `auto` measure, so that a later process knows the choice without the memory and compilation of the others."""


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
