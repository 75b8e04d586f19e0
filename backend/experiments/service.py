from backend.kit.errors import Conflict


class ExperimentNotActive(Conflict):
    """Only an experiment with a run that has not ended can be stopped."""


class ExperimentActive(Conflict):
    """An experiment cannot be deleted while one of its runs has not ended."""
