"""The answer to a spec that is not valid."""

from phylon.backend.kit.errors import Invalid
from phylon.spec import SpecInvalid


class SpecRefused(Invalid):
    """The spec is not valid; every problem is listed and nothing was stored."""

    def __init__(self, error: SpecInvalid) -> None:
        count = len(error.problems)
        super().__init__(
            f"The spec has {count} problem{'s' if count > 1 else ''}: {error}.",
            "Correct the spec and submit it again; nothing was stored.",
            error.problems,
        )
