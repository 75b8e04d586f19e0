"""What evaluations came to, as people read it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.evaluations import repository
from phylon.backend.models import Evaluation, EvaluationPolicy
from phylon.backend.payloads import service as payloads
from phylon.contract.evaluations import (
    EvaluatedPolicy,
    EvaluationFilm,
    EvaluationSummary,
    LoadedPolicy,
    PlayedDifference,
    PlayedEpisodes,
    PlayedSummary,
    StoredEvaluation,
)
from phylon.statistics.episodes import difference, summarise


class Reader:
    """Reads evaluations for one viewer: what they share is asked for once."""

    def __init__(self, session: Session, viewer: Viewer | None, evaluations: Sequence[Evaluation]) -> None:
        """`viewer`: None where nobody in particular reads; then no run is named."""
        ids = {policy.run_id for each in evaluations for policy in each.policies if policy.run_id is not None}
        self._runs = repository.visible_runs(session, viewer, ids) if viewer and ids else frozenset[int]()
        self._files = repository.films(session, [each.job_id for each in evaluations])

    def summary(self, evaluation: Evaluation) -> EvaluationSummary:
        return EvaluationSummary(**self._fields(evaluation))

    def stored(self, evaluation: Evaluation) -> StoredEvaluation:
        played = [PlayedEpisodes(returns=each.returns, lengths=each.lengths) for each in evaluation.policies]
        return StoredEvaluation(**self._fields(evaluation), played=played)

    def _fields(self, evaluation: Evaluation) -> dict[str, Any]:
        first = evaluation.policies[0]
        return payloads.fields(evaluation) | {
            "environment": evaluation.environment,
            "episodes": evaluation.episodes,
            "seed": evaluation.seed,
            "sample": evaluation.sample,
            "wanted_films": evaluation.films,
            "done": sum(len(each.returns) for each in evaluation.policies),
            "total": evaluation.episodes * len(evaluation.policies),
            "policies": [self._policy(evaluation, each, first) for each in evaluation.policies],
        }

    def _policy(self, evaluation: Evaluation, row: EvaluationPolicy, first: EvaluationPolicy) -> EvaluatedPolicy:
        summary = PlayedSummary(**summarise(row.returns, row.lengths)._asdict()) if row.returns else None
        films = ((film, self._files.get((evaluation.job_id, film["name"]))) for film in row.films)
        return EvaluatedPolicy(
            run_id=row.run_id if row.run_id in self._runs else None,
            name=row.name,
            choice=row.choice,
            step=row.step,
            loaded=None if row.loaded is None else LoadedPolicy.model_validate(row.loaded),
            summary=summary,
            difference=_difference(row, first),
            films=[EvaluationFilm(**film, id=id) for film, id in films if id is not None],
            film_problem=row.film_problem,
        )


def _difference(row: EvaluationPolicy, first: EvaluationPolicy) -> PlayedDifference | None:
    if row is first or row.loaded is None or first.loaded is None:
        return None
    if row.loaded["environment"] != first.loaded["environment"]:
        return None
    found = difference(row.returns, first.returns)
    return None if found is None else PlayedDifference(**found._asdict())
