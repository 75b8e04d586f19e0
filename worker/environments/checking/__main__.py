"""`python -m phylon.worker.environments.checking JSON`: checks an environment, given as a spec's section of it."""

import json
import os
import sys

from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.environments.checking.check import check

REFUSED = 2


def main(arguments: list[str]) -> int:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        answer = check(EnvironmentSpec.model_validate_json(arguments[0]))
    except EngineError as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
