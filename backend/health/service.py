"""Asks the database and Redis whether they are there, and the disk how much room it has."""

from importlib.metadata import version

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.context import Context
from phylon.contract.health import Health


def check(context: Context) -> Health:
    database = _database_answers(context)
    redis = context.doorbell.reachable()
    free = context.artifacts.free_bytes()
    is_low = free is not None and free < context.settings.least_free_bytes
    return Health(
        status="ok" if database and redis and not is_low else "degraded",
        database="ok" if database else "unavailable",
        redis="ok" if redis else "unavailable",
        storage="low" if is_low else "ok",
        storage_free_bytes=free,
        version=version("phylon"),
    )


def _database_answers(context: Context) -> bool:
    try:
        with context.database.read() as session:
            session.execute(text("SELECT 1 FROM experiments WHERE 1 = 0"))
    except SQLAlchemyError:
        return False
    return True
