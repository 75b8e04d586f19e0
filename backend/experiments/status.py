"""How an experiment stands, derived from its runs: the first status of the list that any run accounts for."""

from collections.abc import Iterable

from phylon.contract.vocabulary import ExperimentStatus, JobStatus

_MEANING = {
    JobStatus.RUNNING: ExperimentStatus.RUNNING,
    JobStatus.STOPPING: ExperimentStatus.RUNNING,
    JobStatus.QUEUED: ExperimentStatus.QUEUED,
    JobStatus.DISPATCHED: ExperimentStatus.QUEUED,
    JobStatus.PAUSED: ExperimentStatus.PAUSED,
    JobStatus.FAILED: ExperimentStatus.FAILED,
    JobStatus.STOPPED: ExperimentStatus.STOPPED,
    JobStatus.FINISHED: ExperimentStatus.FINISHED,
}
_ORDER = list(ExperimentStatus)

RANK = {status: _ORDER.index(meaning) for status, meaning in _MEANING.items()}
"""The smallest rank of the runs is the experiment's; the database filters by it too."""


def derive(statuses: Iterable[str]) -> ExperimentStatus:
    return _ORDER[min(RANK[JobStatus(status)] for status in statuses)]
