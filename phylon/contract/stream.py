"""What a reader of the live stream of runs and of other jobs receives."""

from typing_extensions import TypeAliasType

from phylon.contract.base import ReadModel
from phylon.contract.environment_check_events import EnvironmentCheckEvent
from phylon.contract.environment_checks import EnvironmentCheck
from phylon.contract.evaluation_events import EvaluationEvent
from phylon.contract.evaluations import EvaluationSummary
from phylon.contract.events import RunEvent
from phylon.contract.protocol import JobKindName
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
EvaluationStreamMessage = TypeAliasType("EvaluationStreamMessage", EvaluationEvent | Rewind | EvaluationSummary)
"""`EvaluationSummary` is the data of `status` messages."""
EnvironmentCheckStreamMessage = TypeAliasType(
    "EnvironmentCheckStreamMessage", EnvironmentCheckEvent | Rewind | EnvironmentCheck
)
"""`EnvironmentCheck` is the data of `status` messages."""


class JobMessage(ReadModel):
    """What one of many runs, studies, evaluations and checks says."""

    kind: JobKindName
    id: int
    position: str | None
    """Where its reader stands then: its new `stream`. Null where it stands as before."""
    message: StreamMessage | StudyStreamMessage | EvaluationStreamMessage | EnvironmentCheckStreamMessage | None
    """Null in `gone` messages: it was deleted, or the reader may not see it."""
