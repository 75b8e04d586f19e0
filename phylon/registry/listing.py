"""Descriptions as readers want them: read models for the API and the form, tables for the documentation.

`python -m phylon.registry.listing docs/methods.md …` writes the tables between their marks in these files, and without
files prints them.
"""

import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from phylon import catalogue
from phylon.contract.catalogue import Algorithm, Hyperparameter, Method, Suite
from phylon.registry import algorithms, methods, suites, wrappers
from phylon.registry.descriptions import AlgorithmDescription, WrapperDescription
from phylon.spec.algorithms.tunable import legal_values, tunable_fields
from phylon.spec.distributions import Named


def list_algorithms() -> list[Algorithm]:
    return [
        Algorithm(
            name=description.name,
            title=description.title,
            summary=description.summary,
            experience=description.experience,
            actions=sorted(description.actions),
            hyperparameters=[_hyperparameter(description, field) for field in tunable_fields(description.spec)],
            defaults_source=description.defaults_source,
            search_source=description.search_source,
            environment="/".join(description.home) if description.home else None,
        )
        for description in algorithms().values()
    ]


def list_methods() -> list[Method]:
    return [
        Method(
            name=description.name,
            title=description.title,
            summary=description.summary,
            tuning=description.tuning,
            choices=description.choices,
            algorithms=[other.name for other in algorithms().values() if description.can_train(other)],
            smallest_size=description.smallest_size,
        )
        for description in methods().values()
    ]


def list_suites() -> list[Suite]:
    return [
        Suite(
            name=description.name,
            title=description.title,
            summary=description.summary,
            install=description.install,
            is_functional=description.is_functional,
            environments=len(catalogue.search(description.name)),
        )
        for description in suites().values()
    ]


def _hyperparameter(description: AlgorithmDescription, field: str) -> Hyperparameter:
    legal, info = legal_values(description.spec, field), description.spec.model_fields[field]
    assert legal is not None
    search = description.search_space.get(field)
    is_named = isinstance(legal, Named)
    return Hyperparameter(
        name=field,
        description=info.description or "",
        default=info.default,
        low=None if is_named else legal.low,
        high=None if is_named or math.isinf(legal.high) else legal.high,
        is_integer=not is_named and legal.integer,
        names=list(legal.names) if is_named else None,
        scale=description.scale_of(field),
        search=None if search is None else search.model_dump(mode="json"),
    )


def algorithms_table() -> str:
    rows = [
        (f"`{found.name}`", found.summary, found.experience, found.defaults_source, _search_space(found))
        for found in list_algorithms()
    ]
    return _table(("name", "what it is", "learns from", "defaults", "recommended search space"), rows)


def methods_table() -> str:
    rows = [(f"`{found.name}`", found.summary, _trained_by(found)) for found in list_methods()]
    return _table(("name", "what it does", "algorithms"), rows)


def suites_table() -> str:
    rows = [
        (f"`{found.name}`", found.summary, str(found.environments), f"`pip install '{found.install}'`")
        for found in list_suites()
    ]
    return _table(("name", "what it has", "environments", "install on a worker"), rows)


def wrappers_table() -> str:
    rows = [(f"`{name}`", found.summary, _suites_of(found)) for name, found in wrappers().items()]
    return _table(("name", "what it does", "suites"), rows)


def _suites_of(wrapper: WrapperDescription) -> str:
    names = [name for name, suite in suites().items() if wrapper.form_in(suite)]
    return "all" if len(names) == len(suites()) else ", ".join(f"`{name}`" for name in names)


def _search_space(algorithm: Algorithm) -> str:
    spelt = [
        f"`{number.name}: {{{kind}: [{', '.join(map(str, values))}]}}`"
        for number in algorithm.hyperparameters
        for kind, values in (number.search or {}).items()
    ]
    return f"{', '.join(spelt)} ({algorithm.search_source})"


def _trained_by(method: Method) -> str:
    return (
        "all" if len(method.algorithms) == len(algorithms()) else ", ".join(f"`{name}`" for name in method.algorithms)
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


TABLES: dict[str, Callable[[], str]] = {
    "algorithms": algorithms_table,
    "methods": methods_table,
    "suites": suites_table,
    "wrappers": wrappers_table,
}


def fill_in(text: str) -> str:
    """The text with the tables that its marks ask for, such as `<!-- table: methods -->` … `<!-- end of table -->`."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n{TABLES[match[2]]()}\n{match[3]}"

    return re.sub(r"(<!-- table: (\w+) -->)\n.*?(<!-- end of table -->)", fill, text, flags=re.DOTALL)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(fill_in(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
    if not sys.argv[1:]:
        print("\n\n".join(make() for make in TABLES.values()))
