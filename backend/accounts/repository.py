"""Queries about who people are: users, sign-ins, tokens, one-time codes."""

from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, joinedload

from phylon.backend.models import Membership, OneTimeCode, Project, SignIn, SignInFailures, Token, User
from phylon.contract.vocabulary import Role


def find_user(session: Session, user_id: int) -> User | None:
    return session.get(User, user_id)


def find_user_by_email(session: Session, email: str) -> User | None:
    return session.scalar(select(User).where(User.email == email.lower()))


def has_admin(session: Session) -> bool:
    """One who can sign in; the local user cannot."""
    able = (User.is_admin, User.password_hash.is_not(None), User.disabled_at.is_(None))
    return bool(session.scalar(select(exists().where(*able))))


def roles(session: Session, user_id: int) -> dict[int, Role]:
    """By the number of the project, in their order."""
    statement = select(Membership.project_id, Membership.role).where(Membership.user_id == user_id)
    rows = session.execute(statement.order_by(Membership.project_id))
    return {project_id: Role(role) for project_id, role in rows}


def projects(session: Session, project_ids: list[int]) -> dict[int, str]:
    """Names by number."""
    statement = select(Project.id, Project.name).where(Project.id.in_(project_ids))
    return {number: name for number, name in session.execute(statement)}


def add_sign_in(session: Session, sign_in: SignIn) -> None:
    session.add(sign_in)


def find_sign_in(session: Session, sha256: str) -> SignIn | None:
    """With its user."""
    return session.get(SignIn, sha256, options=[joinedload(SignIn.user)])


def touch_sign_in(session: Session, sha256: str, at: datetime) -> None:
    session.execute(update(SignIn).where(SignIn.sha256 == sha256).values(last_seen_at=at))


def end_sign_in(session: Session, sha256: str) -> None:
    session.execute(delete(SignIn).where(SignIn.sha256 == sha256))


def end_sign_ins(session: Session, user_id: int) -> None:
    session.execute(delete(SignIn).where(SignIn.user_id == user_id))


def sweep_sign_ins(session: Session, created_before: datetime, seen_before: datetime) -> None:
    session.execute(delete(SignIn).where((SignIn.created_at < created_before) | (SignIn.last_seen_at < seen_before)))


def find_token(session: Session, sha256: str) -> Token | None:
    """With its user."""
    return session.scalar(select(Token).where(Token.sha256 == sha256).options(joinedload(Token.user)))


def touch_token(session: Session, token_id: int, at: datetime) -> None:
    session.execute(update(Token).where(Token.id == token_id).values(last_used_at=at))


def end_tokens(session: Session, user_id: int) -> None:
    session.execute(delete(Token).where(Token.user_id == user_id))


def find_failures(session: Session, email: str) -> SignInFailures | None:
    """Locked, so that of several tries at once one is admitted."""
    statement = select(SignInFailures).where(SignInFailures.email == email).with_for_update()
    return session.scalar(statement.execution_options(populate_existing=True))


def add_failures(session: Session, failures: SignInFailures) -> bool:
    """False when another try has just done so."""
    try:
        with session.begin_nested():
            session.add(failures)
    except IntegrityError:
        return False
    return True


def forget_failures(session: Session, email: str) -> None:
    session.execute(delete(SignInFailures).where(SignInFailures.email == email))


def sweep_failures(session: Session, blocked_before: datetime) -> None:
    session.execute(delete(SignInFailures).where(SignInFailures.blocked_until < blocked_before))


def add_code(session: Session, code: OneTimeCode) -> OneTimeCode:
    session.add(code)
    session.flush()
    return code


def find_code(session: Session, purpose: str, sha256: str, now: datetime) -> OneTimeCode | None:
    """Locked, so that it is used once."""
    statement = select(OneTimeCode).where(
        OneTimeCode.purpose == purpose, OneTimeCode.sha256 == sha256, OneTimeCode.expires_at > now
    )
    return session.scalar(statement.with_for_update())


def delete_enrolment_code(session: Session, purpose: str, worker_id: int) -> None:
    used_by = OneTimeCode.detail["worker"].as_integer()
    session.execute(delete(OneTimeCode).where(OneTimeCode.purpose == purpose, used_by == worker_id))


def sign_ins(session: Session, user_id: int) -> list[SignIn]:
    """The newest first."""
    return list(session.scalars(select(SignIn).where(SignIn.user_id == user_id).order_by(SignIn.created_at.desc())))


def codes(session: Session, purpose: str, now: datetime) -> list[OneTimeCode]:
    """That still count, the oldest first."""
    statement = select(OneTimeCode).where(OneTimeCode.purpose == purpose, OneTimeCode.expires_at > now)
    return list(session.scalars(statement.order_by(OneTimeCode.id)))


def end_codes(session: Session, purpose: str) -> None:
    session.execute(delete(OneTimeCode).where(OneTimeCode.purpose == purpose))


def sweep_codes(session: Session, now: datetime) -> None:
    session.execute(delete(OneTimeCode).where(OneTimeCode.expires_at <= now))
