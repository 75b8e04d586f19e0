from backend.kit.errors import Conflict


class RunNotClaimable(Conflict):
    """The run is not waiting for a worker, or this worker cannot take it."""
