"""Which installed parts a job needs: its suite, its algorithm, its method. A worker reports which of them it has."""

from phylon.backend.jobs.kind import JobNeeds
from phylon.backend.models import Worker


def find_lacking(worker: Worker, needs: JobNeeds) -> str | None:
    """What is needed and the worker does not have, in words; None where it has everything.

    Workers that registered before they reported algorithms and methods have those that this version brings.
    """
    if needs.suite not in worker.suites:
        return f"the suite '{needs.suite}'"
    if worker.algorithms is not None and needs.algorithm not in worker.algorithms:
        return f"the algorithm '{needs.algorithm}'"
    if worker.methods is not None and needs.method not in worker.methods:
        return f"the population method '{needs.method}'"
    return None
