"""Environments of a user's own that a document names, such as `my_package:MyEnv-v0`: who has them says what they are.

In the foreground that is this machine's own Python, in which whatever can be imported from here may be named. Of the
service it is asked which ones its workers have.
"""

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from phylon.catalogue import EnvironmentEntry, Offer
from phylon.cli.engine import ask_engine
from phylon.registry import suites
from phylon.spec.environment import module_of

if TYPE_CHECKING:
    from phylon.client import Client

ENGINE = "phylon.worker.environments.own"
ALLOWED = "PHYLON_ALLOWED_MODULES"


class Named(NamedTuple):
    id: str
    options: dict[str, Any]


def describe_here(document: Any) -> list[Offer]:
    """Those of the document that have a module, or options that may change their spaces."""
    wanted = [named for named in find_named(document) if module_of(named.id) or named.options]
    if not wanted:
        return []
    allow_here([named.id for named in wanted])
    rows: list[Any] = ask_engine(ENGINE, "describe", _json(wanted))
    return [Offer(EnvironmentEntry.model_validate(row), named.options) for row, named in zip(rows, wanted, strict=True)]


def describe_named(client: "Client", document: Any) -> list[Offer]:
    """Those of the service's workers, if the document names any."""
    if not any(module_of(named.id) for named in find_named(document)):
        return []
    found = (EnvironmentEntry.model_validate(entry.model_dump()) for entry in client.environments())
    return [Offer(entry) for entry in found if module_of(entry.id)]


def allow_here(ids: Sequence[str]) -> None:
    """The processes that this command starts may import the modules of these environments."""
    modules = {*filter(None, map(module_of, ids)), *filter(None, os.environ.get(ALLOWED, "").split(","))}
    os.environ[ALLOWED] = ",".join(sorted(modules))


def find_named(document: Any) -> Iterator[Named]:
    """Wherever it names one: in `environment`, or in the changes of a group's experiments."""
    if isinstance(document, dict):
        fields = cast(dict[str, Any], document)
        for key, value in fields.items():
            if key == "environment" and isinstance(value, dict):
                section = cast(dict[str, Any], value)
                yield from _named(section.get("id"), section.get("options"), section.get("suite"))
            elif key in ("environment", "environment.id"):
                yield from _named(value, fields.get("environment.options"), fields.get("environment.suite"))
            else:
                yield from find_named(value)


def _named(id: Any, options: Any, suite: Any) -> Iterator[Named]:
    """Only some suites' environments have options, which a check says of the others."""
    if isinstance(id, str) and (suite is None or (suite in suites() and suites()[suite].has_options)):
        yield Named(id, cast(dict[str, Any], options) if isinstance(options, dict) else {})


def _json(wanted: Sequence[Named]) -> str:
    return json.dumps([named._asdict() for named in wanted])
