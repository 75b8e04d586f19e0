"""What a reader of a run's live stream receives."""

from typing_extensions import TypeAliasType

from phylon.contract.base import ReadModel
from phylon.contract.events import RunEvent
from phylon.contract.runs import Run


class Rewind(ReadModel):
    """History was cut back: events numbered `seq` and above are void, and `attempt` reports them again."""

    seq: int
    attempt: int


StreamMessage = TypeAliasType("StreamMessage", RunEvent | Rewind | Run)
"""`Run` is the data of `status` messages, `Rewind` of `rewind` messages."""
