"""Codes that work once: of links for the first admin, for invited people and for new passwords, and for workers."""

from datetime import timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.accounts import repository
from phylon.backend.accounts.secret import digest, make_secret
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Forbidden
from phylon.backend.models import OneTimeCode


class Purpose(StrEnum):
    FIRST_ADMIN = "first_admin"
    INVITATION = "invitation"
    PASSWORD_RESET = "password_reset"
    ENROLMENT = "enrolment"


LIFETIMES = {
    Purpose.FIRST_ADMIN: timedelta(hours=1),
    Purpose.INVITATION: timedelta(hours=72),
    Purpose.PASSWORD_RESET: timedelta(hours=24),
    Purpose.ENROLMENT: timedelta(hours=1),
}
_PAGES = {
    Purpose.FIRST_ADMIN: "first-admin",
    Purpose.INVITATION: "invitation",
    Purpose.PASSWORD_RESET: "reset-password",
}
_REMEDIES = {
    Purpose.FIRST_ADMIN: "Start the service again: while it has no admin, it prints a new link.",
    Purpose.INVITATION: "Ask the person who invited you for a new link.",
    Purpose.PASSWORD_RESET: "Ask an admin of the service for a new link.",
    Purpose.ENROLMENT: "Make a new code with `phylon workers code`.",
}


class CodeInvalid(Forbidden):
    """The code is wrong, was used already, or has expired."""

    def __init__(self, purpose: Purpose) -> None:
        super().__init__("The code is wrong, was used already, or has expired.", _REMEDIES[purpose])


class Issued(NamedTuple):
    row: OneTimeCode
    code: str
    """Shown once."""


def issue(session: Session, purpose: Purpose, detail: dict[str, Any], project_id: int | None = None) -> Issued:
    at, code = clock.now(), make_secret()
    repository.sweep_codes(session, at)
    row = OneTimeCode(
        purpose=purpose,
        sha256=digest(code),
        project_id=project_id,
        detail=detail,
        created_at=at,
        expires_at=at + LIFETIMES[purpose],
    )
    return Issued(repository.add_code(session, row), code)


def link(public_url: str, purpose: Purpose, code: str) -> str:
    """The code is behind `#`, which browsers send to nobody: it is in no log of a proxy and in no `Referer`."""
    return f"{public_url}/{_PAGES[purpose]}#code={code}"


def find(session: Session, purpose: Purpose, code: str) -> OneTimeCode:
    """The row of a code that counts; it is used up when that row is deleted."""
    row = repository.find_code(session, purpose, digest(code), clock.now())
    if row is None:
        raise CodeInvalid(purpose)
    return row


def use_up_enrolment(session: Session, worker_id: int) -> None:
    """The worker holds its credential: the code that it enrolled with is worth nothing any more."""
    repository.delete_enrolment_code(session, Purpose.ENROLMENT, worker_id)
