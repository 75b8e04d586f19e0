"""What the event stream of a job carries."""

from typing_extensions import TypeAliasType

from phylon.backend.kit.schema import Schema
from phylon.backend.runs.schemas import RunRead
from phylon.backend.studies.schemas import StudySummary
from phylon.contract import events, study_events

RunEvent = TypeAliasType("RunEvent", events.RunEvent)
"""Named, so that the generated client has the union under one name."""
StudyEvent = TypeAliasType("StudyEvent", study_events.StudyEvent)


class RewindEvent(Schema):
    """History was cut back: events from `seq` on are void, and `attempt` reports them again."""

    seq: int
    attempt: int


StreamMessage = TypeAliasType("StreamMessage", RunEvent | RewindEvent | RunRead)
"""`RunRead` is the data of `status` messages."""
StudyStreamMessage = TypeAliasType("StudyStreamMessage", StudyEvent | RewindEvent | StudySummary)
"""`StudySummary` is the data of `status` messages."""
