"""Names, notes, tags, stars and the archive; and one action on many experiments."""

from collections.abc import Callable, Iterable
from typing import assert_never

from sqlalchemy import delete
from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.rights import require_change
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.context import Context
from phylon.backend.experiments import repository, service
from phylon.backend.jobs.actions import PAUSE, RESUME, RETRY, STOP
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Invalid, PlatformError
from phylon.backend.models import Experiment, Star, Tag
from phylon.contract.experiments import BulkAction, BulkRefusal, BulkReport, BulkRequest, ExperimentChange
from phylon.contract.experiments import Experiment as ExperimentRead


class TagMissing(Invalid):
    """To tag experiments takes a tag."""

    def __init__(self, action: BulkAction) -> None:
        super().__init__(f"`{action}` needs a tag.", "Name it in the field `tag`.")


def change(session: Session, viewer: Viewer, experiment_id: int, body: ExperimentChange) -> ExperimentRead:
    experiment = repository.get(session, viewer, experiment_id)
    require_change(viewer, experiment, f"experiment {experiment_id}")
    if body.name is not None:
        experiment.name = body.name
    if body.notes is not None:
        experiment.notes = body.notes
    if body.tags is not None:
        _set_tags(experiment, body.tags)
    if body.archived is not None:
        _archive(experiment, body.archived)
    changed = body.model_dump(exclude_none=True, exclude={"notes"})
    if body.notes is not None:
        changed["notes"] = f"{len(body.notes)} characters"
    _record(session, viewer, experiment, "change", **changed)
    return service.read(session, viewer, experiment)


def star(session: Session, viewer: Viewer, experiment_id: int, starred: bool) -> ExperimentRead:
    """Everyone has stars of their own, so anyone who sees an experiment may star it."""
    experiment = repository.get(session, viewer, experiment_id)
    _star(session, viewer, experiment_id, starred)
    return service.read(session, viewer, experiment)


def act_on_many(context: Context, viewer: Viewer, body: BulkRequest) -> BulkReport:
    """Each in a transaction of its own: what is refused holds up nothing, and no heartbeat waits for all of them."""
    if body.action in (BulkAction.TAG, BulkAction.UNTAG) and body.tag is None:
        raise TagMissing(body.action)
    done, refused = list[int](), list[BulkRefusal]()
    for experiment_id in sorted(set(body.ids)):
        try:
            with context.database.write() as session:
                _action(session, context, viewer, body)(experiment_id)
            done.append(experiment_id)
        except PlatformError as error:
            refused.append(BulkRefusal(id=experiment_id, reason=error.detail))
    return BulkReport(done=done, refused=refused)


def _action(session: Session, context: Context, viewer: Viewer, body: BulkRequest) -> Callable[[int], object]:
    tag = body.tag or ""
    match body.action:
        case BulkAction.STOP:
            return lambda id: service.act(session, context, viewer, id, STOP)
        case BulkAction.PAUSE:
            return lambda id: service.act(session, context, viewer, id, PAUSE)
        case BulkAction.RESUME:
            return lambda id: service.act(session, context, viewer, id, RESUME)
        case BulkAction.RETRY:
            return lambda id: service.act(session, context, viewer, id, RETRY)
        case BulkAction.DELETE:
            return lambda id: service.delete(session, viewer, id)
        case BulkAction.ARCHIVE | BulkAction.UNARCHIVE:
            archived = body.action == BulkAction.ARCHIVE
            return lambda id: change(session, viewer, id, ExperimentChange(archived=archived))
        case BulkAction.STAR | BulkAction.UNSTAR:
            return lambda id: star(session, viewer, id, body.action == BulkAction.STAR)
        case BulkAction.TAG:
            return lambda id: _retag(session, viewer, id, lambda tags: {*tags, tag})
        case BulkAction.UNTAG:
            return lambda id: _retag(session, viewer, id, lambda tags: {*tags} - {tag})
        case _:
            assert_never(body.action)


def _retag(session: Session, viewer: Viewer, experiment_id: int, tags: Callable[[Iterable[str]], set[str]]) -> None:
    experiment = repository.get(session, viewer, experiment_id)
    wanted = sorted(tags(tag.name for tag in experiment.tags))
    change(session, viewer, experiment_id, ExperimentChange(tags=wanted))


def _set_tags(experiment: Experiment, names: Iterable[str]) -> None:
    kept = {tag.name: tag for tag in experiment.tags}
    experiment.tags = [kept.get(name) or Tag(name=name) for name in sorted(set(names))]


def _archive(experiment: Experiment, archived: bool) -> None:
    if archived != (experiment.archived_at is not None):
        experiment.archived_at = clock.now() if archived else None


def _star(session: Session, viewer: Viewer, experiment_id: int, starred: bool) -> None:
    session.execute(delete(Star).where(Star.user_id == viewer.user_id, Star.experiment_id == experiment_id))
    if starred:
        session.add(Star(user_id=viewer.user_id, experiment_id=experiment_id))
        session.flush()


def _record(session: Session, viewer: Viewer, experiment: Experiment, verb: str, **detail: object) -> None:
    target = f"experiment {experiment.id}"
    audit.record(session, viewer, f"experiment.{verb}", target, project_id=experiment.project_id, **detail)
