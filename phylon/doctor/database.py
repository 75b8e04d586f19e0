"""The database of the service, as the service itself sees it."""

import json

from phylon.doctor.finding import ChildFailed, Finding, Machine, error, is_installed, ok, run_child, warning

_SECONDS = 60.0


def check_database(machine: Machine) -> list[Finding]:
    if not is_installed("sqlalchemy"):
        return [ok("database", "the service is not installed here (pip install 'phylon[server]')")]
    try:
        found = json.loads(run_child(machine, ["-m", "phylon.backend.schema"], _SECONDS))
    except ChildFailed as failure:
        remedy = "see that PHYLON_DATABASE_URL names the database and that it runs"
        return [error("database", f"it could not be looked at: {failure}", remedy)]
    match found["state"]:
        case "current":
            return [ok("database", f"{found['database']} is at schema {found['revision']}, the newest")]
        case "empty":
            message = f"{found['database']} has no tables yet"
            return [warning("database", message, "`phylon up` and `phylon migrate` make them")]
        case "behind":
            return [warning("database", found["problem"], found["remedy"])]
        case _:
            return [error("database", found["problem"], found["remedy"])]
