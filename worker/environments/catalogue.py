"""Writes phylon/catalogue/*.json from the installed suites: `python -m phylon.worker.environments.catalogue`."""

from importlib import resources
from pathlib import Path

from phylon.worker.environments import SUITES, suite_entries


def render(suite: str) -> str:
    """The file of a suite: a JSON list, one environment a line, in the order of ids."""
    lines = [entry.to_line() for entry in sorted(suite_entries(suite), key=lambda entry: entry.id)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def catalogue_file(suite: str) -> Path:
    return Path(str(resources.files("phylon.catalogue"))) / f"{suite}.json"


if __name__ == "__main__":
    for suite in SUITES:
        catalogue_file(suite).write_text(render(suite), encoding="utf-8")
