"""Rules about evaluations."""

import secrets

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.evaluations import repository
from phylon.backend.evaluations.choosing import Chosen, choose
from phylon.backend.evaluations.results import Reader
from phylon.backend.jobs import actions, status
from phylon.backend.jobs.actions import Action
from phylon.backend.kit import clock, pages
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Evaluation, EvaluationPolicy
from phylon.backend.queue.admission import ask_of_evaluation, refuse_impossible
from phylon.backend.sweeping import marking
from phylon.contract.base import Page
from phylon.contract.evaluations import LARGEST_SEED, EvaluationRequest, EvaluationSummary, StoredEvaluation
from phylon.contract.vocabulary import ACTIVE


class EvaluationActive(Conflict):
    """An evaluation cannot be deleted while it has not ended."""

    def __init__(self, evaluation_id: int) -> None:
        super().__init__(f"Evaluation {evaluation_id} has not ended.", "Stop it first.")


def create(session: Session, context: Context, viewer: Viewer, body: EvaluationRequest) -> StoredEvaluation:
    chosen = [choose(session, viewer, asked, body.environment) for asked in body.policies]
    owner = owner_of_new(session, viewer, body.project or chosen[0].run.job.project.name)
    ask = ask_of_evaluation(body.resources, [each.spec for each in chosen])
    if not body.wait_for_worker:
        refuse_impossible(session, [ask])
    evaluation = Evaluation(
        job=status.create("evaluation", owner, context.settings.max_attempts, clock.now(), ask, body.priority),
        name=_name(chosen),
        environment=body.environment,
        episodes=body.episodes,
        seed=secrets.randbelow(LARGEST_SEED + 1) if body.seed is None else body.seed,
        sample=body.sample,
        films=body.films,
        policies=[
            EvaluationPolicy(
                place=place,
                run_id=each.run.id,
                name=each.run.experiment.name,
                choice=each.choice,
                step=each.file.step,
                artifact_id=each.file.id,
                file=each.file.name,
                sha256=each.file.sha256,
                returns=[],
                lengths=[],
                films=[],
            )
            for place, each in enumerate(chosen)
        ],
    )
    session.add(evaluation)
    session.flush()
    _record(session, viewer, "evaluation.create", evaluation)
    return Reader(session, viewer, [evaluation]).stored(evaluation)


def _name(chosen: list[Chosen]) -> str:
    names = list(dict.fromkeys(each.run.experiment.name for each in chosen))
    more = len(names) - 1
    return f"evaluation of {names[0]}" + (f" and {more} more" if more else "")


def list_page(
    session: Session, viewer: Viewer, run_id: int | None, limit: int, after: str | None
) -> Page[EvaluationSummary]:
    rows, total = repository.page(session, viewer, run_id, limit + 1, pages.decode(after))
    reader = Reader(session, viewer, rows)
    return Page(
        items=[reader.summary(each) for each in rows[:limit]],
        total=total,
        next=pages.next_cursor(rows, limit, lambda each: each.id),
    )


def get(session: Session, viewer: Viewer, evaluation_id: int) -> StoredEvaluation:
    evaluation = repository.get(session, viewer, evaluation_id)
    return Reader(session, viewer, [evaluation]).stored(evaluation)


def act(session: Session, context: Context, viewer: Viewer, evaluation_id: int, action: Action) -> StoredEvaluation:
    evaluation = repository.lock(session, viewer, evaluation_id)
    actions.act(session, context, viewer, action, [evaluation.job], "evaluation", evaluation_id)
    return Reader(session, viewer, [evaluation]).stored(evaluation)


def delete(session: Session, viewer: Viewer, evaluation_id: int) -> None:
    """It is gone for everyone from now on; the sweeper removes rows and files."""
    evaluation = repository.lock(session, viewer, evaluation_id)
    require_change(viewer, evaluation.job, f"evaluation {evaluation_id}")
    if evaluation.job.status in ACTIVE:
        raise EvaluationActive(evaluation_id)
    _record(session, viewer, "evaluation.delete", evaluation)
    marking.delete(evaluation, evaluation.job)


def _record(session: Session, viewer: Viewer, action: str, evaluation: Evaluation) -> None:
    name = f"evaluation {evaluation.id}"
    audit.record(session, viewer, action, name, project_id=evaluation.job.project_id, name=evaluation.name)
