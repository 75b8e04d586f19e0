"""Which installed parts a run needs: its suite, its algorithm, its method. A worker reports which of them it has."""

from phylon.backend.models import Experiment, Worker


def find_lacking(worker: Worker, experiment: Experiment) -> str | None:
    """What the experiment needs and the worker does not have, in words; None where it has everything.

    Workers that registered before they reported algorithms and methods have those that this version brings.
    """
    if experiment.suite not in worker.suites:
        return f"the suite '{experiment.suite}'"
    if worker.algorithms is not None and experiment.algorithm not in worker.algorithms:
        return f"the algorithm '{experiment.algorithm}'"
    if worker.methods is not None and experiment.method not in worker.methods:
        return f"the population method '{experiment.method}'"
    return None
