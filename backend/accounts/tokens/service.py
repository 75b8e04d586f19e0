"""Rules about personal tokens."""

from datetime import timedelta

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit
from phylon.backend.accounts.secret import PERSONAL, digest, make_token
from phylon.backend.accounts.tokens import repository
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Forbidden
from phylon.backend.models import Token
from phylon.contract.accounts import NewToken, TokenRequest
from phylon.contract.accounts import Token as TokenRead
from phylon.contract.vocabulary import Scope


class ScopeBeyond(Forbidden):
    """A token cannot make one that may do more than itself."""

    def __init__(self, scopes: list[Scope]) -> None:
        super().__init__(
            f"The token that asks does not have the scope {', '.join(scopes)} itself.",
            "Sign in with your password to make such a token.",
        )


def create(session: Session, viewer: Viewer, body: TokenRequest) -> NewToken:
    scopes = [scope for scope in Scope if scope in body.scopes]
    beyond = [scope for scope in scopes if scope not in viewer.scopes]
    if beyond:
        raise ScopeBeyond(beyond)
    now, secret = clock.now(), make_token(PERSONAL)
    token = repository.add(
        session,
        Token(
            user_id=viewer.user_id,
            name=body.name,
            sha256=digest(secret),
            scopes=[scope.value for scope in scopes],
            created_at=now,
            expires_at=now + timedelta(days=body.days),
        ),
    )
    audit.record(session, viewer, "token.create", f"token {token.id}", name=token.name, scopes=token.scopes)
    return NewToken(**dict(_read(token)), secret=secret)


def list_all(session: Session, viewer: Viewer) -> list[TokenRead]:
    return [_read(token) for token in repository.of_viewer(session, viewer)]


def revoke(session: Session, viewer: Viewer, token_id: int) -> None:
    token = repository.get(session, viewer, token_id)
    audit.record(session, viewer, "token.revoke", f"token {token.id}", name=token.name)
    session.delete(token)


def _read(token: Token) -> TokenRead:
    return TokenRead.model_validate(token, from_attributes=True)
