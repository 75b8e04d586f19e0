"""Rules about people."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit, codes
from phylon.backend.accounts import repository as accounts
from phylon.backend.accounts.codes import Purpose
from phylon.backend.accounts.people import repository
from phylon.backend.accounts.rights import require_admin
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Conflict
from phylon.backend.models import User
from phylon.contract.accounts import Person, PersonChange, ResetLink


class LastAdmin(Conflict):
    """The service must keep an admin who can sign in."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is the only admin who can sign in.", "Make someone else an admin first.")


class PersonDisabled(Conflict):
    """Who is disabled cannot sign in, whatever their password."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is disabled.", "Enable the account first.")


def list_all(session: Session, viewer: Viewer) -> list[Person]:
    return [_read(user) for user in repository.known_to(session, viewer)]


def change(session: Session, viewer: Viewer, user_id: int, body: PersonChange) -> Person:
    require_admin(viewer)
    user = repository.get(session, user_id)
    is_able = user.is_admin and user.disabled_at is None
    if is_able and (body.is_admin is False or body.is_disabled) and repository.count_able_admins(session) == 1:
        raise LastAdmin(user.name)
    if body.is_admin is not None:
        user.is_admin = body.is_admin
    if body.is_disabled is not None:
        user.disabled_at = clock.now() if body.is_disabled else None
    if body.is_disabled:
        _end_reset_links(session, user.id)
        accounts.end_sign_ins(session, user.id)
        accounts.end_tokens(session, user.id)
    audit.record(session, viewer, "person.change", f"person {user.id}", **body.model_dump(exclude_none=True))
    return _read(user)


def make_reset_link(session: Session, viewer: Viewer, public_url: str, user_id: int) -> ResetLink:
    require_admin(viewer)
    user = repository.get(session, user_id)
    if user.disabled_at is not None:
        raise PersonDisabled(user.name)
    _end_reset_links(session, user.id)
    issued = codes.issue(session, Purpose.PASSWORD_RESET, {"person": user.id, "email": user.email})
    audit.record(session, viewer, "person.reset_link", f"person {user.id}")
    link = codes.link(public_url, Purpose.PASSWORD_RESET, issued.code)
    return ResetLink(email=user.email, link=link, expires_at=issued.row.expires_at)


def _end_reset_links(session: Session, user_id: int) -> None:
    for code in accounts.codes(session, Purpose.PASSWORD_RESET, clock.now()):
        if code.detail["person"] == user_id:
            session.delete(code)


def _read(user: User) -> Person:
    return Person.model_validate(user, from_attributes=True)
