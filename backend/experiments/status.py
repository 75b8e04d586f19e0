"""How an experiment stands, derived from its runs: the first status of the list that any run accounts for."""

from collections.abc import Iterable

from phylon.backend.runs.status import RunStatus
from phylon.contract.vocabulary import ExperimentStatus

_MEANING = {
    RunStatus.RUNNING: ExperimentStatus.RUNNING,
    RunStatus.STOPPING: ExperimentStatus.RUNNING,
    RunStatus.QUEUED: ExperimentStatus.QUEUED,
    RunStatus.DISPATCHED: ExperimentStatus.QUEUED,
    RunStatus.FAILED: ExperimentStatus.FAILED,
    RunStatus.STOPPED: ExperimentStatus.STOPPED,
    RunStatus.FINISHED: ExperimentStatus.FINISHED,
}
_ORDER = list(ExperimentStatus)

RANK = {status: _ORDER.index(meaning) for status, meaning in _MEANING.items()}
"""The smallest rank of the runs is the experiment's; the database filters by it too."""


def derive(statuses: Iterable[str]) -> ExperimentStatus:
    return _ORDER[min(RANK[RunStatus(status)] for status in statuses)]
