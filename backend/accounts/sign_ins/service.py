"""The browsers in which someone is signed in."""

from sqlalchemy.orm import Session

from phylon.backend.accounts import audit, repository
from phylon.backend.accounts.authentication import ABSOLUTE, IDLE
from phylon.backend.accounts.secret import digest
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.kit import clock
from phylon.backend.kit.errors import PlatformError
from phylon.backend.models import SignIn
from phylon.contract.accounts import SignIn as SignInRead

ID_LENGTH = 16
"""So much of the hash of its secret names a sign-in: enough to distinguish one's own."""


class SignInUnknown(PlatformError):
    """There is no such sign-in, or it has ended."""

    status_code = 404

    def __init__(self, id: str) -> None:
        super().__init__(f"You have no sign-in {id}.", "It may have ended; look at the list again.")


def list_all(session: Session, viewer: Viewer, secret: str) -> list[SignInRead]:
    """Those that count, the newest first. `secret` is what the asking browser holds."""
    return [_read(row, digest(secret)) for row in _counting(session, viewer)]


def end(session: Session, viewer: Viewer, id: str) -> None:
    for row in _counting(session, viewer):
        if row.sha256.startswith(id):
            session.delete(row)
            audit.record(session, viewer, "sign_in.end", f"person {viewer.user_id}")
            return
    raise SignInUnknown(id)


def _counting(session: Session, viewer: Viewer) -> list[SignIn]:
    now = clock.now()
    rows = repository.sign_ins(session, viewer.user_id)
    return [row for row in rows if row.created_at > now - ABSOLUTE and row.last_seen_at > now - IDLE]


def _read(row: SignIn, current: str) -> SignInRead:
    return SignInRead(
        id=row.sha256[:ID_LENGTH],
        created_at=row.created_at,
        last_seen_at=row.last_seen_at,
        address=row.address,
        browser=row.browser,
        is_current=row.sha256 == current,
    )
