"""Prints a code with which one worker can enrol: `python -m phylon.backend.accounts.enrol`.

For those who run the service and reach its database: `phylon up`, and the first worker of a team.
"""

import argparse
import sys

from pydantic import ValidationError

from phylon.backend.accounts.viewer import LOCAL_VIEWER
from phylon.backend.kit.database import Database
from phylon.backend.settings import SettingInvalid, from_environment
from phylon.backend.workers import enrolment
from phylon.contract.workers import EnrolmentCodeRequest


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.backend.accounts.enrol", description=__doc__)
    parser.add_argument("--name", help="how the worker will be listed (default: by the name it gives itself)")
    parser.add_argument("--labels", default="", metavar="A,B", help="what jobs may ask for, separated by commas")
    options = parser.parse_args(arguments)
    labels = [label.strip() for label in options.labels.split(",") if label.strip()]
    try:
        body = EnrolmentCodeRequest(name=options.name, labels=labels)
        database = Database(from_environment().database_url)
    except (SettingInvalid, ValidationError) as error:
        print(error, file=sys.stderr)
        return 2
    with database.write() as session:
        code = enrolment.create_code(session, LOCAL_VIEWER, body).code
    database.dispose()
    print(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
