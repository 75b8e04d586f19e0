"""Finds out who asks: by the cookie of a browser or by a personal token."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from phylon.backend.accounts import repository
from phylon.backend.accounts.secret import PERSONAL, digest, is_token
from phylon.backend.accounts.viewer import ALL_SCOPES, LOCAL_VIEWER, Viewer
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Unauthorized
from phylon.backend.models import User
from phylon.contract.vocabulary import Role, Scope

IDLE = timedelta(hours=12)
ABSOLUTE = timedelta(days=7)
"""A sign-in ends when nobody used it for so long, or after so long in any case."""

_NOTED = timedelta(minutes=1)
"""The last use is written at most so often: most requests must not write."""


class SignInMissing(Unauthorized):
    """Nobody is signed in."""

    def __init__(self) -> None:
        super().__init__("Nobody is signed in.", "Sign in at the web page, or run `phylon login` with this address.")


class SignInEnded(Unauthorized):
    """The sign-in has ended."""

    def __init__(self) -> None:
        super().__init__("This sign-in has ended.", "Sign in again.")


class TokenInvalid(Unauthorized):
    """The token is wrong, was revoked, or has expired."""

    def __init__(self) -> None:
        super().__init__(
            "The token is wrong, was revoked, or has expired.",
            "Make a new one with `phylon login` and check PHYLON_TOKEN, which is used before it.",
        )


def by_token(context: Context, secret: str, address: str | None) -> Viewer:
    if not is_token(secret, PERSONAL):
        raise TokenInvalid
    now = clock.now()
    with context.database.read() as session:
        token = repository.find_token(session, digest(secret))
        if token is None or token.expires_at <= now or token.user.disabled_at is not None:
            raise TokenInvalid
        viewer = viewer_of(session, token.user, frozenset(map(Scope, token.scopes)), address)
    if _is_long_ago(token.last_used_at, now):
        with context.database.write() as session:
            repository.touch_token(session, token.id, now)
    return viewer


def by_cookie(context: Context, secret: str, address: str | None) -> Viewer:
    now = clock.now()
    with context.database.read() as session:
        found = repository.find_sign_in(session, digest(secret))
        if found is None or found.user.disabled_at is not None:
            raise SignInEnded
        if found.created_at <= now - ABSOLUTE or found.last_seen_at <= now - IDLE:
            raise SignInEnded
        viewer = viewer_of(session, found.user, ALL_SCOPES, address)
    if _is_long_ago(found.last_seen_at, now):
        with context.database.write() as session:
            repository.touch_sign_in(session, found.sha256, now)
    return viewer


def viewer_of(session: Session, user: User, scopes: frozenset[Scope], address: str | None) -> Viewer:
    roles = repository.roles(session, user.id)
    if Scope.ADMIN not in scopes:
        roles = {project: Role.MEMBER if role == Role.ADMIN else role for project, role in roles.items()}
    return Viewer(user.id, user.name, user.is_admin and Scope.ADMIN in scopes, roles, scopes, address)


def renew(session: Session, viewer: Viewer) -> Viewer | None:
    """The viewer as they stand now, for what lasts longer than a request; None once they are disabled."""
    if viewer is LOCAL_VIEWER:
        return viewer
    user = repository.find_user(session, viewer.user_id)
    if user is None or user.disabled_at is not None:
        return None
    return viewer_of(session, user, viewer.scopes, viewer.address)


def _is_long_ago(noted: datetime | None, now: datetime) -> bool:
    return noted is None or noted <= now - _NOTED
