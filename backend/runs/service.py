from backend.kit.errors import Conflict


class RunNotActive(Conflict):
    """Only a run that has not ended can be stopped."""
