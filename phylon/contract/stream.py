"""What a reader of the live stream of runs and studies receives."""

from typing import Literal

from typing_extensions import TypeAliasType

from phylon.contract.base import ReadModel
from phylon.contract.events import RunEvent
from phylon.contract.runs import Run
from phylon.contract.studies import StudySummary
from phylon.contract.study_events import StudyEvent


class Rewind(ReadModel):
    """History was cut back: events numbered `seq` and above are void, and `attempt` reports them again."""

    seq: int
    attempt: int


StreamMessage = TypeAliasType("StreamMessage", RunEvent | Rewind | Run)
"""`Run` is the data of `status` messages, `Rewind` of `rewind` messages."""
StudyStreamMessage = TypeAliasType("StudyStreamMessage", StudyEvent | Rewind | StudySummary)
"""`StudySummary` is the data of `status` messages."""


class JobMessage(ReadModel):
    """What one of many runs and studies says."""

    kind: Literal["run", "study"]
    id: int
    position: str | None
    """Where its reader stands then: the run's or the study's new `stream`. Null where it stands as before."""
    message: StreamMessage | StudyStreamMessage | None
    """Null in `gone` messages: it was deleted, or the reader may not see it."""
