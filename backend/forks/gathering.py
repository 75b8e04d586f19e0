"""What the founders of a new experiment begin with: found and copied before the experiment is stored.

Only runs that the one who submits may see, and never a path, which would be one of whatever machine works on it. What
is taken becomes a file of the experiment itself, so its source may be deleted and nothing changes.
"""

from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.artifacts import repository as artifacts
from phylon.backend.artifacts import storage
from phylon.backend.artifacts.seekable import open_artifact
from phylon.backend.artifacts.service import list_blocks, list_checkpoints
from phylon.backend.artifacts.upload import check_room
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Artifact, Experiment, ExperimentStart, Run
from phylon.backend.runs import repository as runs
from phylon.backend.specs.refusal import SpecRefused
from phylon.catalogue import find
from phylon.run_directory import START_FILE
from phylon.spec import ExperimentSpec, SpecInvalid, parse_accepted
from phylon.spec.problems import Problem
from phylon.spec.start import StartSource
from phylon.start.material import Material, StartInvalid, to_bytes
from phylon.start.taking import Checkpoint, take_members


class Gathered(NamedTuple):
    spec: ExperimentSpec
    """It names the checkpoints that were chosen where the writer left that open."""
    content: bytes | None
    """None where founders are drawn."""
    starts: list[ExperimentStart]


def gather(context: Context, viewer: Viewer, spec: ExperimentSpec) -> Gathered:
    """To be called before anything is written: it may read much, and no transaction should wait for that."""
    if not spec.population.start:
        return Gathered(spec, None, [])
    chosen: list[StartSource] = []
    materials: list[Material] = []
    starts: list[ExperimentStart] = []
    with context.database.read() as session:
        for place, source in enumerate(spec.population.start):
            try:
                run, members = _take(session, context, viewer, spec, source)
            except StartInvalid as error:
                raise SpecRefused(SpecInvalid([_problem(place, source, str(error))])) from None
            step = members[0].origin.step
            chosen.append(source.model_copy(update={"step": step}))
            materials += members
            slots = [each.origin.member for each in members if each.origin.member is not None]
            starts.append(
                ExperimentStart(place=place, run_id=run.id, name=run.experiment.name, step=step, members=slots)
            )
    if len(materials) > spec.population.size:
        message = f"has {len(materials)} members for {spec.population.size} founders; name fewer"
        raise SpecRefused(SpecInvalid([_problem(0, spec.population.start[0], message)]))
    population = spec.population.model_copy(update={"start": tuple(chosen)})
    return Gathered(spec.model_copy(update={"population": population}), to_bytes(materials), starts)


def attach(session: Session, context: Context, experiment: Experiment, gathered: Gathered) -> None:
    """The experiment is stored by now. The file lies with its first run and serves all of them."""
    if gathered.content is None:
        return
    job_id, store, content = experiment.runs[0].job_id, context.artifacts, gathered.content
    check_room(context, len(content))
    upload, path = storage.upload_path(job_id, START_FILE, "0" * 64), storage.new_path(job_id, START_FILE)
    for offset in range(0, len(content), store.block_bytes):
        store.write(upload, offset, content[offset : offset + store.block_bytes])
    received = store.digest(upload)
    store.keep(upload, path)
    artifacts.add(
        session,
        Artifact(
            job_id=job_id,
            attempt=0,
            name=START_FILE,
            path=path,
            bytes=received.bytes,
            sha256=received.sha256,
            step=0,
            created_at=clock.now(),
        ),
    )
    for start in gathered.starts:
        start.experiment_id = experiment.id
    session.add_all(gathered.starts)


def _take(
    session: Session, context: Context, viewer: Viewer, spec: ExperimentSpec, source: StartSource
) -> tuple[Run, list[Material]]:
    if source.run is None:
        raise StartInvalid(
            "a path is one of the machine that trains, so a service takes none; name a run, or use `phylon train`"
        )
    try:
        run = runs.get_with_experiment(session, viewer, source.run)
    except NotFound as missing:
        raise StartInvalid(f"{missing.detail.removesuffix('.')}; use the number of a run that you can see") from None
    trained = parse_accepted(run.experiment.spec)
    refuse_other_kind(trained, spec, run.id)
    stored = _choose_checkpoint(session, run, source.step)
    checkpoint = Checkpoint(trained, run.experiment_id, run.id, stored.step, stored.sha256)
    try:
        blocks = [session.get_one(Artifact, block.artifact_id) for block in list_blocks(session, stored)]
        files = [open_artifact(context, each) for each in (stored, *blocks)]
        return run, take_members(files, checkpoint, source)
    except OSError as error:
        raise StartInvalid(f"the checkpoint of run {run.id} at step {stored.step} is not there: {error}") from None


def refuse_other_kind(trained: ExperimentSpec, spec: ExperimentSpec, run_id: int) -> None:
    """What can be seen without the engine; it compares every part of the state before it trains."""
    if trained.algorithm.name != spec.algorithm.name:
        raise StartInvalid(
            f"run {run_id} trained {trained.algorithm.name} and this is {spec.algorithm.name}; use the same algorithm, "
            "or start in the foreground from an exported policy, of which only the part that acts is taken"
        )
    theirs, ours = (find(each.environment.suite, each.environment.id) for each in (trained, spec))
    if theirs is None or ours is None:
        return
    if (theirs.observation, theirs.action) != (ours.observation, ours.action):
        sides = " and ".join(
            f"{each.id} has {each.observation.describe()} and {each.action.describe()}" for each in (theirs, ours)
        )
        raise StartInvalid(f"spaces differ: {sides}; use an environment with the same spaces")


def _choose_checkpoint(session: Session, run: Run, step: int | None) -> Artifact:
    kept = kept_checkpoints(session, run.job_id)
    if not kept:
        raise StartInvalid(f"run {run.id} has no checkpoint; wait for its first, or take another run")
    if step is None:
        return kept[-1]
    for artifact in reversed(kept):
        if artifact.step == step:
            return artifact
    steps = ", ".join(str(artifact.step) for artifact in kept)
    raise StartInvalid(f"run {run.id} keeps no checkpoint of step {step}; those that are kept are of steps {steps}")


def kept_checkpoints(session: Session, job_id: int) -> list[Artifact]:
    """Those of the history whose bytes are here, the oldest first."""
    stored = {row.id: row for row in artifacts.of_job(session, job_id)}
    return [stored[each.artifact_id] for each in reversed(list_checkpoints(session, job_id))]


def _problem(place: int, source: StartSource, text: str) -> Problem:
    message, _, remedy = text.rpartition("; ")
    return Problem(
        path=f"population.start.{place}",
        value=source.run if source.run is not None else source.path,
        message=message or text,
        remedy=remedy if message else "name another source",
    )
