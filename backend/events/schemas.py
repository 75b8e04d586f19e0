"""What the event stream of a run carries."""

from typing_extensions import TypeAliasType

from phylon.backend.kit.schema import Schema
from phylon.backend.runs.schemas import RunRead
from phylon.contract import events

RunEvent = TypeAliasType("RunEvent", events.RunEvent)
"""Named, so that the generated client has the union under one name."""


class RewindEvent(Schema):
    """History was cut back: events from `seq` on are void, and `attempt` tells them anew."""

    seq: int
    attempt: int


StreamMessage = TypeAliasType("StreamMessage", RunEvent | RewindEvent | RunRead)
"""`RunRead` is the data of `status` messages."""
