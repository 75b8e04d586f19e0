"""Writes the lists of environments of installed suites: `python -m phylon.worker.environments.catalogue [SUITE …]`."""

import sys
from pathlib import Path

from phylon.catalogue import catalogue_file
from phylon.registry import suites
from phylon.worker.environments import suite_entries


def render(suite: str) -> str:
    """The file of a suite: a JSON list, one environment per line, in the order of ids."""
    lines = [entry.to_line() for entry in sorted(suite_entries(suite), key=lambda entry: entry.id)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or suites():
        Path(str(catalogue_file(suites()[name]))).write_text(render(name), encoding="utf-8")
