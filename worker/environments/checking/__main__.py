"""`python -m phylon.worker.environments.checking [--held] JSON`: checks an environment, given as in a spec.

With `--held` its launcher holds stdin, and it ends when that closes.
"""

import json
import os
import sys

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.commands import Commands
from phylon.worker.core.errors import EngineError
from phylon.worker.environments.checking.check import check

REFUSED = 2


def main(arguments: list[str]) -> int:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    *options, environment = arguments
    if "--held" in options:
        Commands().listen()
    try:
        report = check(EnvironmentSpec.model_validate_json(environment))
    except EngineError as error:
        print(error, file=sys.stderr)
        print(json.dumps({"message": error.message, "remedy": error.remedy}))
        return REFUSED
    print(report.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
