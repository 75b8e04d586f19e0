"""Rules about checks of environments."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.catalogue.known import read_environment
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import EnvironmentCheck
from phylon.backend.payloads import service as payloads
from phylon.backend.payloads.service import Noun
from phylon.backend.queue.admission import ask_of_environment
from phylon.backend.workers import repository as workers
from phylon.backend.workers.environments import KNOWN
from phylon.catalogue import suite_of
from phylon.contract.environment_checks import EnvironmentCheck as EnvironmentCheckRead
from phylon.contract.environment_checks import EnvironmentCheckRequest, EnvironmentReport
from phylon.spec.environment import EnvironmentSpec


class NobodyOffers(Conflict):
    """No worker that is known offers the environment; nothing was stored."""

    def __init__(self, id: str, module: str) -> None:
        super().__init__(
            f"No known worker offers {id}.",
            f"Start one where its package is installed with `phylon worker --allow {module}`; one that runs already "
            f"offers what is new once it was started again. Or try it in your own foreground: "
            f"`phylon check-environment {id}`.",
        )


def create(session: Session, context: Context, viewer: Viewer, body: EnvironmentCheckRequest) -> EnvironmentCheckRead:
    environment = _find(body)
    worker_id = None if body.worker_id is None else workers.get(session, body.worker_id).id
    owner = owner_of_new(session, viewer, body.project)
    if environment.module and not body.wait_for_worker:
        _require_offer(session, environment.id, environment.module)
    check = EnvironmentCheck(
        job=payloads.queue(
            session, context, "environment_check", owner, ask_of_environment(environment, worker_id), body
        ),
        name=environment.id,
        suite=environment.suite,
        environment=environment.id,
        options=environment.options,
    )
    payloads.store(session, viewer, check)
    return _read(session, viewer, check)


def of_environment(environment: str) -> ColumnElement[bool]:
    return EnvironmentCheck.environment == environment


def _find(body: EnvironmentCheckRequest) -> EnvironmentSpec:
    suite = body.suite or suite_of(body.environment)
    return read_environment({"suite": suite, "id": body.environment, "options": body.options})


def _require_offer(session: Session, id: str, module: str) -> None:
    """Even before there is any worker: one that is started without being told would not offer it."""
    reported = workers.reported_environments(session, clock.now() - KNOWN)
    if not any(row["id"] == id for environments in reported for row in environments):
        raise NobodyOffers(id, module)


def _summarise(
    session: Session, viewer: Viewer | None, checks: Sequence[EnvironmentCheck]
) -> list[EnvironmentCheckRead]:
    return [_describe(check) for check in checks]


def _read(session: Session, viewer: Viewer, check: EnvironmentCheck) -> EnvironmentCheckRead:
    return _describe(check)


def _describe(check: EnvironmentCheck) -> EnvironmentCheckRead:
    report = None if check.report is None else EnvironmentReport.model_validate(check.report)
    return EnvironmentCheckRead(
        **payloads.fields(check),
        suite=check.suite,
        environment=check.environment,
        options=check.options,
        verdict=report.verdict if report else None,
        report=report,
    )


CHECKS = Noun(EnvironmentCheck, EnvironmentCheckRead, EnvironmentCheckRead, _summarise, _read)
