"""Which checkpoints of a run stay.

A checkpoint counts once the history has it: it may be resumed from then on, and never before. So an upload pushes out
nothing; a report does, and at least the checkpoint that it reports stays. Uploads of which the history does not know
stay while they are newer than what it knows: their reports are on the way.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.artifacts import repository, service
from phylon.backend.context import Context
from phylon.backend.events import repository as events
from phylon.backend.lineage import repository as lineage
from phylon.backend.lineage.repository import Birth
from phylon.backend.metrics import history
from phylon.backend.models import Artifact, Experiment, Project, Run
from phylon.contract.events import Checkpoint, run_event
from phylon.returns import RETURN, best_of
from phylon.spec.experiment import KeepSpec


class Reported(NamedTuple):
    """A checkpoint that the history has, and whose bytes are here."""

    artifact: Artifact
    seq: int
    blocks: frozenset[str] = frozenset()
    """Hashes of its other files, which stay and go with it, and may come long before it."""


def apply(session: Session, context: Context, run: Run, winner: int | None) -> None:
    """To be called when a checkpoint was reported, and at the end of the run, with the slot of its winner."""
    stored = [row for row in repository.of_job(session, run.job_id) if service.is_checkpoint(row)]
    reported = _reported(session, run.job_id, stored)
    if not reported:
        return
    keep = _rule(session, run)
    kept = {each.artifact.id for each in reported[-keep.last :]}
    if keep.best:
        kept.add(_best(session, run.id, reported).artifact.id)
    if keep.branches:
        kept |= {each.artifact.id for each in branch_points(reported, lineage.births(session, run.id), winner)}
    newest = reported[-1].artifact.id
    known = {each.artifact.id for each in reported}
    kept |= {row.id for row in stored if row.id > newest and row.id not in known and not service.is_block(row)}
    blocks = {sha256 for each in reported if each.artifact.id in kept for sha256 in each.blocks}
    coming = {row.id for row in stored if service.is_block(row) and row.step > reported[-1].artifact.step}
    gone = [row for row in stored if row.id not in kept | coming and row.sha256 not in blocks]
    service.remove(session, context, gone)


def branch_points(reported: Sequence[Reported], births: Mapping[int, Birth], winner: int | None) -> list[Reported]:
    """The newest checkpoint at or before each birth among the ancestors of the winner; without one, of all who live."""
    living = (span for span, birth in births.items() if birth.lives and winner in (None, birth.slot))
    found: list[Reported] = []
    for step in sorted({births[span].step for span in _ancestors(births, living)}):
        before = [each for each in reported if each.artifact.step <= step]
        found += before[-1:]
    return found


def _ancestors(births: Mapping[int, Birth], spans: Iterable[int]) -> set[int]:
    found: set[int] = set()
    for span in spans:
        current: int | None = span
        while current is not None and current in births and current not in found:
            found.add(current)
            current = births[current].parent
    return found


def _reported(session: Session, job_id: int, stored: Sequence[Artifact]) -> list[Reported]:
    """The oldest first."""
    by_hash = {artifact.sha256: artifact for artifact in stored}
    found: list[Reported] = []
    for row in reversed(events.of_kinds(session, job_id, "checkpoint")):
        event = run_event.validate_json(row.payload or "")
        if isinstance(event, Checkpoint) and event.sha256 in by_hash:
            blocks = frozenset(block.sha256 for block in event.blocks)
            found.append(Reported(by_hash[event.sha256], event.seq, blocks))
    return found


def _rule(session: Session, run: Run) -> KeepSpec:
    """The spec's, within what the project allows."""
    experiment = session.get_one(Experiment, run.experiment_id)
    keep = KeepSpec.model_validate(experiment.spec["checkpoint"].get("keep", {}))  # older specs do not say
    limit = session.get_one(Project, experiment.project_id).checkpoints_kept
    return keep if limit is None else keep.model_copy(update={"last": min(keep.last, limit)})


def _best(session: Session, run_id: int, reported: Sequence[Reported]) -> Reported:
    """The newest of equals; one without an evaluation before it is the worst."""

    def value(each: Reported) -> tuple[bool, float, int]:
        frame = history.frame_before(session, run_id, RETURN, each.seq)
        best = float("nan") if frame is None else best_of(frame)
        return (best == best, best if best == best else 0.0, each.seq)

    return max(reported, key=value)
