"""Asks the database and Redis whether they are there."""

from importlib.metadata import version

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from phylon.backend.context import Context
from phylon.contract.health import Health


def check(context: Context) -> Health:
    database = _database_answers(context)
    redis = context.doorbell.reachable()
    return Health(
        status="ok" if database and redis else "degraded",
        database="ok" if database else "unavailable",
        redis="ok" if redis else "unavailable",
        version=version("phylon"),
    )


def _database_answers(context: Context) -> bool:
    try:
        with context.database.read() as session:
            session.execute(text("SELECT 1 FROM experiments WHERE 1 = 0"))
    except SQLAlchemyError:
        return False
    return True
