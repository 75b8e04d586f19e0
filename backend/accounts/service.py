"""Signing in and out, the first admin, and passwords.

Passwords are hashed between two transactions, never within one: a hash takes a tenth of a second.
"""

from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit, codes, passwords, repository, throttle
from phylon.backend.accounts.authentication import ABSOLUTE, IDLE, viewer_of
from phylon.backend.accounts.codes import CodeInvalid, Purpose
from phylon.backend.accounts.secret import digest, make_secret
from phylon.backend.accounts.viewer import ALL_SCOPES, Caller, Viewer
from phylon.backend.context import Context
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict, Unauthorized
from phylon.backend.models import DEFAULT_PROJECT, Membership, SignIn, User
from phylon.contract.accounts import (
    FirstAdminRequest,
    LinkRequest,
    Me,
    OneTimeLink,
    PasswordChange,
    PasswordReset,
    ProjectRole,
    SignInRequest,
)
from phylon.contract.vocabulary import Role


class SignInRefused(Unauthorized):
    """E-mail address and password do not belong together."""

    def __init__(self) -> None:
        super().__init__(
            "E-mail address and password do not belong together.",
            "Correct them, or ask an admin for a link to a new password.",
        )


class PasswordWrong(Conflict):
    """The current password is another one."""

    def __init__(self) -> None:
        super().__init__("The current password is another one.", "Type the password that you sign in with.")


class SignedIn(NamedTuple):
    me: Me
    secret: str
    """For the cookie."""


def read_me(session: Session, context: Context, viewer: Viewer) -> Me:
    user = repository.find_user(session, viewer.user_id)
    assert user is not None  # viewers are made from users
    names = repository.projects(session, list(viewer.roles))
    return Me(
        id=user.id,
        name=user.name,
        email=user.email,
        is_admin=viewer.is_admin,
        has_accounts=context.settings.public_url is not None,
        projects=[ProjectRole(id=id, name=names[id], role=role) for id, role in viewer.roles.items()],
    )


def sign_in(context: Context, body: SignInRequest, caller: Caller) -> SignedIn:
    email = body.email.lower()
    with context.database.write() as session:
        throttle.admit(session, email)
        user = repository.find_user_by_email(session, email)
    known = None if user is None or user.disabled_at is not None else user.password_hash
    is_right = passwords.matches(known, body.password)
    renewed = passwords.make_hash(body.password) if is_right and known and passwords.is_outdated(known) else None
    with context.database.write() as session:
        if user is None or not is_right:
            audit.record_stranger(session, email, caller.address, "sign_in.failed", "service")
        else:
            throttle.forgive(session, email)
            if renewed is not None:
                _get(session, user.id).password_hash = renewed
            return begin(session, context, _get(session, user.id), caller)
    raise SignInRefused


def begin(session: Session, context: Context, user: User, caller: Caller) -> SignedIn:
    """A sign-in of someone who has proved who they are."""
    now, secret = clock.now(), make_secret()
    repository.sweep_sign_ins(session, now - ABSOLUTE, now - IDLE)
    begun = SignIn(sha256=digest(secret), user_id=user.id, created_at=now, last_seen_at=now, **caller._asdict())
    repository.add_sign_in(session, begun)
    viewer = viewer_of(session, user, ALL_SCOPES, caller.address)
    audit.record(session, viewer, "sign_in.ok", f"person {user.id}")
    return SignedIn(read_me(session, context, viewer), secret)


def sign_out(session: Session, secret: str, caller: Caller) -> None:
    found = repository.find_sign_in(session, digest(secret))
    if found is not None:
        session.delete(found)
        audit.record(
            session, viewer_of(session, found.user, ALL_SCOPES, caller.address), "sign_out", f"person {found.user_id}"
        )


def give_up_token(session: Session, secret: str, caller: Caller) -> None:
    """Whatever its scopes: who has it may always make it worthless."""
    token = repository.find_token(session, digest(secret))
    if token is not None:
        session.delete(token)
        viewer = viewer_of(session, token.user, ALL_SCOPES, caller.address)
        audit.record(session, viewer, "token.revoke", f"token {token.id}", name=token.name)


def change_password(context: Context, viewer: Viewer, body: PasswordChange, caller: Caller) -> SignedIn:
    """Ends all sign-ins of this person and begins a new one. Tokens stay: they are revoked one by one."""
    passwords.check(body.new)
    with context.database.write() as session:
        user = _get(session, viewer.user_id)
        throttle.admit(session, user.email)
    if not passwords.matches(user.password_hash, body.current):
        raise PasswordWrong
    new = passwords.make_hash(body.new)
    with context.database.write() as session:
        user = _get(session, viewer.user_id)
        throttle.forgive(session, user.email)
        user.password_hash = new
        repository.end_sign_ins(session, user.id)
        audit.record(session, viewer, "person.password", f"person {user.id}")
        return begin(session, context, user, caller)


def first_admin_link(session: Session, public_url: str) -> str | None:
    """A new one-time link while nobody could sign in and let others in; None once there is an admin."""
    if repository.has_admin(session):
        return None
    return codes.link(public_url, Purpose.FIRST_ADMIN, codes.issue(session, Purpose.FIRST_ADMIN, {}).code)


def read_link(session: Session, body: LinkRequest) -> OneTimeLink:
    """For whom a link is, so that its page can say so. Anyone with the link could use it as well."""
    row = codes.find(session, Purpose(body.purpose), body.code)
    names = repository.projects(session, [] if row.project_id is None else [row.project_id])
    return OneTimeLink(
        email=row.detail.get("email"),
        project=names.get(row.project_id or 0),
        role=row.detail.get("role"),
        expires_at=row.expires_at,
    )


def reset_password(context: Context, body: PasswordReset, caller: Caller) -> SignedIn:
    """Ends all sign-ins of this person and begins a new one. Tokens stay."""
    passwords.check(body.password)
    with context.database.write() as session:
        codes.find(session, Purpose.PASSWORD_RESET, body.code)
    password_hash = passwords.make_hash(body.password)
    with context.database.write() as session:
        code = codes.find(session, Purpose.PASSWORD_RESET, body.code)
        user = _get(session, code.detail["person"])
        session.delete(code)
        user.password_hash = password_hash
        throttle.forgive(session, user.email)
        repository.end_sign_ins(session, user.id)
        viewer = viewer_of(session, user, ALL_SCOPES, caller.address)
        audit.record(session, viewer, "person.password", f"person {user.id}")
        return begin(session, context, user, caller)


def make_first_admin(context: Context, body: FirstAdminRequest, caller: Caller) -> SignedIn:
    passwords.check(body.password)
    with context.database.write() as session:
        codes.find(session, Purpose.FIRST_ADMIN, body.code)
    password_hash = passwords.make_hash(body.password)
    with context.database.write() as session:
        codes.find(session, Purpose.FIRST_ADMIN, body.code)
        repository.end_codes(session, Purpose.FIRST_ADMIN)
        if repository.has_admin(session):
            raise CodeInvalid(Purpose.FIRST_ADMIN)
        user = add_person(session, body.email, body.name, password_hash, is_admin=True)
        session.add(Membership(project_id=DEFAULT_PROJECT, user_id=user.id, role=Role.ADMIN))
        session.flush()
        return begin(session, context, user, caller)


class EmailTaken(Conflict):
    """Someone has an account with this e-mail address already."""

    def __init__(self, email: str) -> None:
        super().__init__(
            f"{email} has an account already.", "Add them to the project as a member, or let them sign in."
        )


def add_person(session: Session, email: str, name: str, password_hash: str, *, is_admin: bool) -> User:
    if repository.find_user_by_email(session, email) is not None:
        raise EmailTaken(email)
    user = User(email=email.lower(), name=name, password_hash=password_hash, is_admin=is_admin, created_at=clock.now())
    session.add(user)
    session.flush()
    return user


def _get(session: Session, user_id: int) -> User:
    user = repository.find_user(session, user_id)
    assert user is not None  # people are disabled, never deleted
    return user
