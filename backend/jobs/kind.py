"""What the service must know about a kind of job. Everything else about jobs is the same for all."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from sqlalchemy.orm import Session

from phylon.backend.context import Context
from phylon.backend.models import Event, Job
from phylon.contract.base import ReadModel
from phylon.contract.protocol import EnvironmentCheckPayload, EvaluationPayload, JobEvent, RunPayload, StudyPayload

PayloadMessage = RunPayload | StudyPayload | EvaluationPayload | EnvironmentCheckPayload


class MakePayload(Protocol):
    """What a worker needs to execute the job, as part of its claim."""

    def __call__(self, session: Session, job: Job, /) -> PayloadMessage: ...


class ApplyEvents(Protocol):
    """Fold new events, which are stored already, into the payload. An outcome has changed the job already."""

    def __call__(self, session: Session, context: Context, job: Job, events: Sequence[JobEvent], /) -> None: ...


class Rewind(Protocol):
    """Bring the payload to where it was before event `from_seq`; the events from there on are gone already."""

    def __call__(self, session: Session, context: Context, job: Job, from_seq: int, /) -> None: ...


class RestoreEvents(Protocol):
    """The JSON, by number, of those of these events whose content the payload keeps in tables of its own."""

    def __call__(self, session: Session, job: Job, events: Sequence[Event], /) -> dict[int, str]: ...


class ReadPayload(Protocol):
    """The read model that a stream sends whenever it has changed."""

    def __call__(self, session: Session, job: Job, /) -> ReadModel: ...


class JobKind(NamedTuple):
    event_types: tuple[type[Any], ...]
    """Classes of the events that its process may report."""
    progress: frozenset[str]
    """Kinds of those events that later attempts build on."""
    make_payload: MakePayload
    apply: ApplyEvents
    rewind: Rewind
    restore: RestoreEvents
    read: ReadPayload
