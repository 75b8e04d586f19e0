"""Queries about personal tokens."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Token


def get(session: Session, viewer: Viewer, token_id: int) -> Token:
    """One of their own: not even admins have to do with the tokens of others."""
    token = session.scalar(select(Token).where(Token.id == token_id, Token.user_id == viewer.user_id))
    if token is None:
        raise NotFound("token", token_id)
    return token


def of_viewer(session: Session, viewer: Viewer) -> list[Token]:
    """The oldest first."""
    return list(session.scalars(select(Token).where(Token.user_id == viewer.user_id).order_by(Token.id)))


def add(session: Session, token: Token) -> Token:
    session.add(token)
    session.flush()
    return token
