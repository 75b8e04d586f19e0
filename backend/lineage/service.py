"""The spans of a run and the hyper-parameters that differ between them."""

from sqlalchemy.orm import Session

from phylon.backend.lineage import repository
from phylon.backend.lineage.schemas import RunLineage, SpanRead, TunedRead
from phylon.backend.models import Experiment
from phylon.backend.runs import repository as runs
from phylon.spec import bounds, parse_spec, scale, tuned
from phylon.spec.algorithms import names_of


def read(session: Session, run_id: int) -> RunLineage:
    run = runs.get_with_experiment(session, run_id)
    return RunLineage(
        population_size=run.population_size,
        end_step=run.step,
        tuned=tuned_of(run.experiment),
        spans=[SpanRead.model_validate(span, from_attributes=True) for span in repository.of_run(session, run_id)],
    )


def tuned_of(experiment: Experiment) -> list[TunedRead]:
    algorithm = parse_spec(experiment.spec).algorithm
    return [
        TunedRead(
            name=name,
            scale=scale(distribution),
            low=bounds(distribution).low,
            high=bounds(distribution).high,
            names=list(names) if (names := names_of(type(algorithm), name)) else None,
        )
        for name, distribution in tuned(algorithm).items()
    ]
