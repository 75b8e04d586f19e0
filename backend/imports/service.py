"""Results from elsewhere become an experiment whose runs have ended, with their history in the same store as ours."""

import json
import math
from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.projects.service import owner_of_new
from phylon.backend.accounts.viewer import Owner, Viewer
from phylon.backend.experiments import service as experiments
from phylon.backend.experiments import standing, values
from phylon.backend.imports.ticks import ticks_of
from phylon.backend.jobs import status as job_status
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Invalid
from phylon.backend.metrics import history
from phylon.backend.models import Experiment, Run
from phylon.backend.runs.job import note_all_returns
from phylon.contract.events import FinalReturn, Metrics
from phylon.contract.experiments import Experiment as ExperimentRead
from phylon.contract.imports import ImportFormat, ImportSource, NewImport
from phylon.contract.vocabulary import JobStatus
from phylon.imports import formats
from phylon.imports.results import IMPORTED, Final, ImportedResults, ImportedRun, ImportRefused
from phylon.returns import RETURN
from phylon.series import Series
from phylon.spec import to_yaml

MOST_POINTS = 100_000
"""Values of one member that an import may bring: all are stored in one transaction, and heartbeats wait for it."""
LONGEST_NAME = 200
UNKNOWN = "unknown"


class ImportUnreadable(Invalid):
    """The files hold no results that can be read; nothing was stored."""

    def __init__(self, error: ImportRefused) -> None:
        fact, _, remedy = str(error).rpartition("; ")
        super().__init__(f"{fact or remedy}.", f"{remedy[0].upper()}{remedy[1:]}.")


class ImportTooLong(Invalid):
    """The files hold more values than are taken at once; nothing was stored."""

    def __init__(self, points: int) -> None:
        super().__init__(
            f"The files hold {points:,} points, more than the {MOST_POINTS:,} that one import may bring.",
            "Import fewer runs at once, or fewer metrics: the return alone is enough to compare.",
        )


def create(session: Session, viewer: Viewer, body: NewImport) -> ExperimentRead:
    format, found = _read(body)
    runs = [run._replace(series=_kept(run.series)) for run in found.runs]
    points = sum(len(series.steps) for run in runs for series in run.series.values())
    if points > MOST_POINTS:
        raise ImportTooLong(points)
    owner = owner_of_new(session, viewer, body.project)
    experiment = _make(body, format, found._replace(runs=runs), owner)
    session.add(experiment)
    session.flush()
    for run, results in zip(experiment.runs, runs, strict=True):
        _fill(session, run, results)
    standing.keep_returns(session, experiment.id)
    target, name = f"experiment {experiment.id}", experiment.name
    audit.record(
        session, viewer, "experiment.import", target, project_id=owner.project_id, name=name, format=format.value
    )
    return experiments.get(session, viewer, experiment.id)


def _read(body: NewImport) -> tuple[ImportFormat, ImportedResults]:
    files = {file.path.replace("\\", "/"): file.content for file in body.files}
    try:
        format = body.format or formats.recognise(list(files))
        return format, formats.read(format, files, body.return_name)
    except ImportRefused as error:
        raise ImportUnreadable(error) from None


def _kept(series: Mapping[str, Series]) -> dict[str, Series]:
    """Without names that are longer than any that a trainer reports."""
    return {name: each for name, each in series.items() if len(name) <= LONGEST_NAME and "\0" not in name}


def _make(body: NewImport, format: ImportFormat, found: ImportedResults, owner: Owner) -> Experiment:
    members = max(each.values.shape[1] for run in found.runs for each in run.series.values())
    environment = (body.environment or found.environment or UNKNOWN)[:200]
    algorithm = body.algorithm or found.algorithm or UNKNOWN
    spec: dict[str, Any] = {
        "name": body.name,
        "environment": {"suite": IMPORTED, "id": environment},
        "algorithm": {"name": algorithm},
        "population": {"size": members, "method": {"name": IMPORTED}},
        "replicates": len(found.runs),
    }
    if found.settings:
        spec["settings"] = found.settings
    paths = sorted(file.path for file in body.files)
    named = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
    source = ImportSource(format=format, source=body.source or named, files=len(paths), return_name=found.return_name)
    created_at = clock.now()
    return Experiment(
        name=body.name,
        spec=spec,
        values=values.of_spec(spec),
        tags=[],
        notes="",
        yaml=to_yaml(spec),
        suite=IMPORTED,
        environment=environment,
        algorithm=algorithm,
        method=IMPORTED,
        population_size=members,
        owner_id=owner.user_id,
        project_id=owner.project_id,
        created_at=created_at,
        import_format=format.value,
        import_source=source.model_dump(mode="json"),
        runs=[
            Run(
                job=job_status.create("run", owner, 1, created_at, ended=JobStatus.FINISHED),
                replicate=replicate,
                seed=run.seed,
                population_size=members,
                step=_last_step(run),
                total_steps=max(1, _last_step(run)),
            )
            for replicate, run in enumerate(found.runs)
        ],
    )


def _fill(session: Session, run: Run, results: ImportedRun) -> None:
    ticks = ticks_of(results.series)
    history.add(session, run.id, ticks)
    history.close(session, run.id)
    note_all_returns(run, history.whole(session, run.id, RETURN).values)
    if results.final is not None:
        run.final = json.loads(_final(results.final, run.last_return).model_dump_json())
    newest = {name: series.values[-1].tolist() for name, series in results.series.items()}
    last = ticks[-1]
    values.note_metrics(
        session, run, [Metrics(seq=last.seq, step=last.step, wall=last.wall, kind="metrics", frames=newest)]
    )


def _final(final: Final, last_return: float | None) -> FinalReturn:
    last = math.nan if last_return is None else last_return
    return FinalReturn(
        member=0,
        span=0,
        mean=final.mean,
        stderr=math.nan,
        low=math.nan,
        high=math.nan,
        episodes=final.episodes,
        last_return=last,
        selection_bias=last - final.mean,
        unseen_levels=False,
    )


def _last_step(run: ImportedRun) -> int:
    return max(int(series.steps[-1]) for series in run.series.values())
