"""Errors that a user can act on.

EngineError
├── EnvironmentUnavailable   the suite is not installed here, or has no such environment
└── UnsupportedEnvironment   it exists, but the engine cannot train on its observations or actions
"""


class EngineError(Exception):
    """Training cannot go on, and trying again would not help. `remedy` says what to change."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message}; {remedy}")
        self.message = message
        self.remedy = remedy


class EnvironmentUnavailable(EngineError):
    pass


class UnsupportedEnvironment(EngineError):
    pass
