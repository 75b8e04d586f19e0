"""A check of an environment as a kind of job: what is to be tried, and what became of it."""

from sqlalchemy.orm import Session

from phylon.backend.environment_checks.service import CHECKS
from phylon.backend.models import EnvironmentCheck
from phylon.backend.payloads.job import folded
from phylon.contract.environment_check_events import (
    ENVIRONMENT_CHECK_EVENTS,
    EnvironmentChecked,
    environment_check_event,
)
from phylon.contract.protocol import EnvironmentCheckPayload, JobEvent


def _payload(session: Session, check: EnvironmentCheck) -> EnvironmentCheckPayload:
    environment = {"suite": check.suite, "id": check.environment, "options": check.options}
    return EnvironmentCheckPayload(environment=environment)


def _fold(session: Session, check: EnvironmentCheck, event: JobEvent) -> None:
    if isinstance(event, EnvironmentChecked):
        check.report = event.report.model_dump(mode="json")


def _forget(session: Session, check: EnvironmentCheck) -> None:
    check.report = None


ENVIRONMENT_CHECK = folded(
    *(CHECKS, ENVIRONMENT_CHECK_EVENTS, environment_check_event),
    progress=frozenset({"checked"}),
    history=("checked",),
    payload=_payload,
    fold=_fold,
    forget=_forget,
)
