"""At the start of a service with accounts: the link by which its first admin comes in."""

import structlog
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.accounts import service
from phylon.backend.context import Context

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


def offer_first_admin(context: Context) -> None:
    """Logs a new link while there is no admin; who reads the log runs the service, and is meant to open it."""
    public_url = context.settings.public_url
    if public_url is None:
        return
    try:
        with context.database.write() as session:
            link = service.first_admin_link(session, public_url)
    except SQLAlchemyError as error:
        log.warning("first_admin_unknown", error=str(getattr(error, "orig", error)), remedy="migrate, then start again")
        return
    if link is not None:
        log.warning("no_admin_yet", open_within_an_hour=link)
