"""The body of every answer that is not a success: a problem document (RFC 9457) with a remedy."""

from phylon.contract.base import ReadModel
from phylon.spec.problems import Problem

MEDIA_TYPE = "application/problem+json"
SPEC_REFUSED = "/problems/spec-refused"
"""The type of a problem document that lists what is wrong with a spec."""


class ProblemDocument(ReadModel):
    type: str
    """Names the kind of problem, such as `/problems/run-not-active`. It stays the same from version to version."""
    title: str
    """The kind of problem in words."""
    status: int
    """The HTTP status."""
    detail: str
    """What went wrong this time."""
    remedy: str | None
    """What to do about it."""
    problems: list[Problem]
    """What is wrong with what was sent, one by one; empty where the fault is not in the request."""
