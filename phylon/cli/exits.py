"""Exit codes, and which error leads to which."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer

from phylon.cli.console import complain, show_problems
from phylon.errors import ApiError, PhylonUnreachable
from phylon.presets import PresetUnknown
from phylon.spec import SpecInvalid

FAILED = 1
BAD_INPUT = 2
UNREACHABLE = 3
INTERRUPTED = 130

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class BadInput(Exception):
    """What the user gave cannot be used; the message says what and the remedy."""


class WorkFailed(Exception):
    """What was to be done could not be done; the message says why and the remedy."""


def guarded(command: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """`command` with every expected error printed on stderr and turned into its exit code."""

    @functools.wraps(command)
    def run(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except SpecInvalid as error:
            show_problems(error.problems)
            raise typer.Exit(BAD_INPUT) from None
        except (BadInput, PresetUnknown) as error:
            raise _ended(str(error), BAD_INPUT) from None
        except PhylonUnreachable as error:
            raise _ended(str(error), UNREACHABLE) from None
        except ApiError as error:
            raise _ended(str(error), BAD_INPUT if error.status in (404, 422) else FAILED) from None
        except (WorkFailed, OSError) as error:
            raise _ended(str(error), FAILED) from None

    return run


def _ended(message: str, code: int) -> typer.Exit:
    complain(message)
    return typer.Exit(code)
