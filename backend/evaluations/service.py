"""Rules about evaluations."""

import secrets
from collections.abc import Sequence

from sqlalchemy.orm import Session

from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.evaluations.choosing import Chosen, choose
from phylon.backend.evaluations.results import Reader
from phylon.backend.models import Evaluation, EvaluationPolicy
from phylon.backend.payloads import service as payloads
from phylon.backend.payloads.service import Noun
from phylon.backend.queue.admission import ask_of_evaluation
from phylon.contract.evaluations import LARGEST_SEED, EvaluationRequest, EvaluationSummary, StoredEvaluation


def create(session: Session, context: Context, viewer: Viewer, body: EvaluationRequest) -> StoredEvaluation:
    chosen = [choose(session, viewer, asked, body.environment) for asked in body.policies]
    owner = owner_of_new(session, viewer, body.project or chosen[0].run.job.project.name)
    ask = ask_of_evaluation(body.resources, [each.spec for each in chosen])
    evaluation = Evaluation(
        job=payloads.queue(session, context, "evaluation", owner, ask, body),
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
    payloads.store(session, viewer, evaluation)
    return _read(session, viewer, evaluation)


def _name(chosen: list[Chosen]) -> str:
    names = list(dict.fromkeys(each.run.experiment.name for each in chosen))
    more = len(names) - 1
    return f"evaluation of {names[0]}" + (f" and {more} more" if more else "")


def _summarise(session: Session, viewer: Viewer | None, evaluations: Sequence[Evaluation]) -> list[EvaluationSummary]:
    reader = Reader(session, viewer, evaluations)
    return [reader.summary(each) for each in evaluations]


def _read(session: Session, viewer: Viewer, evaluation: Evaluation) -> StoredEvaluation:
    return Reader(session, viewer, [evaluation]).stored(evaluation)


EVALUATIONS = Noun(Evaluation, EvaluationSummary, StoredEvaluation, _summarise, _read)
