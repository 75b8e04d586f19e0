"""Describes environments that no catalogue lists. The answer is JSON on standard output.

python -m phylon.worker.environments.own describe '[{"id": "my_package:MyEnv-v0", "options": {}}]'
python -m phylon.worker.environments.own list MODULE...

Only modules that are allowed here are imported; see `allowed.py`.
"""

import argparse
import json
import sys
from typing import Any

from phylon.registry import suites
from phylon.worker.core.errors import EngineError
from phylon.worker.environments import find_entry
from phylon.worker.environments.allowed import is_allowed

REFUSED = 2


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.environments.own")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("describe").add_argument("wanted", type=json.loads)
    commands.add_parser("list").add_argument("modules", nargs="+")
    options = parser.parse_args(arguments)
    try:
        answer = _describe(options.wanted) if options.command == "describe" else _list(options.modules)
    except EngineError as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(json.dumps(answer))
    return 0


def _describe(wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    usual = next(suite.name for suite in suites().values() if suite.is_usual)
    return [find_entry(usual, each["id"], each["options"]).model_dump(mode="json") for each in wanted]


def _list(modules: list[str]) -> dict[str, Any]:
    """What each module has, and why one of them is of no use."""
    from phylon.worker.environments.gymnasium_suite import registered_by

    entries: list[dict[str, Any]] = []
    problems: dict[str, str] = {}
    for module in filter(is_allowed, modules):
        try:
            entries += [entry.model_dump(mode="json") for entry in registered_by(module)]
        except Exception as error:  # it is someone's own code
            problems[module] = f"{type(error).__name__}: {error}"
    return {"environments": entries, "problems": problems}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
