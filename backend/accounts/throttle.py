"""Slows down guessing. Tries are counted per e-mail address in the database, which all API processes share."""

import math
from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.accounts import repository
from phylon.backend.kit import clock
from phylon.backend.kit.errors import PlatformError
from phylon.backend.models import SignInFailures

FIRST_SECONDS, LONGEST_SECONDS = 1, 900
_REMEMBERED = timedelta(days=1)


class TooManyTries(PlatformError):
    """Too many tries to sign in."""

    status_code = 429

    def __init__(self, seconds: int) -> None:
        super().__init__("The last tries to sign in under this address failed.", f"Try again in {seconds} s.")
        self.headers = {"Retry-After": str(seconds)}


def admit(session: Session, email: str) -> None:
    """Counts the try as failed before its password is looked at, so that tries at the same moment count too."""
    now = clock.now()
    repository.sweep_failures(session, now - _REMEMBERED)
    failures = repository.find_failures(session, email)
    if failures is None:
        first = SignInFailures(email=email, count=1, blocked_until=now + timedelta(seconds=FIRST_SECONDS))
        if not repository.add_failures(session, first):
            raise TooManyTries(FIRST_SECONDS)
        return
    if failures.blocked_until > now:
        raise TooManyTries(math.ceil((failures.blocked_until - now).total_seconds()))
    pause = min(FIRST_SECONDS * 2 ** min(failures.count, 30), LONGEST_SECONDS)
    failures.count += 1
    failures.blocked_until = now + timedelta(seconds=pause)


def forgive(session: Session, email: str) -> None:
    repository.forget_failures(session, email)
