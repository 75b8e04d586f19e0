"""Defaults and presets against a table of what the references have, so that they cannot drift apart unnoticed.

`reference_values.csv` names for each value its source and, where ours is another on purpose, ours and the words by
which docs/differences.md mentions it.
"""

import csv
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from pydantic import BaseModel

from phylon.presets import load_preset
from phylon.registry import algorithms, methods
from phylon.spec import parse_yaml

DIFFERENCES = (Path(__file__).parents[2] / "docs" / "differences.md").read_text()


class Row(NamedTuple):
    subject: str
    """`algorithm NAME`, `method NAME` or `preset NAME`."""
    path: str
    reference: str
    ours: str
    """Empty where it is the reference's."""
    mention: str
    """Words of docs/differences.md, where ours is not the reference's."""
    source: str


def read_rows() -> list[Row]:
    with (Path(__file__).parent / "reference_values.csv").open(newline="") as file:
        return [Row(**fields) for fields in csv.DictReader(file)]


ROWS = read_rows()


def subject_of(name: str) -> Any:
    kind, _, rest = name.partition(" ")
    if kind == "preset":
        return parse_yaml(load_preset(rest).yaml)
    if kind == "method":
        description = methods()[rest]
        fields = {"name": rest, "interval": 1, **description.defaults(32)}
        return description.spec.model_validate(fields)
    description = algorithms()[rest]
    return description.spec.model_validate({"name": rest}), description


def look_up(subject: Any, path: str) -> Any:
    """The value there, as plain data. An algorithm is its spec's defaults and what its description says."""
    spec, description = subject if isinstance(subject, tuple) else (subject, None)
    first = path.split(".")[0]
    found = description if first in ("search_space", "updates_per_step") else spec
    for key in path.split("."):
        found = found[key] if isinstance(found, dict) else getattr(found, key)
    return plain(found)


def plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def check(row: Row) -> None:
    found, expected = look_up(subject_of(row.subject), row.path), yaml.safe_load(row.ours or row.reference)
    assert found == expected, f"{row.subject}: {row.path} is {found}, in {row.source} it is {row.reference}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.subject} {row.path}".replace(" ", "-"))
def test_ours_is_the_references_or_a_difference_that_is_written_down(row: Row):
    assert row.source
    check(row)
    assert bool(row.ours) == bool(row.mention)
    if row.ours:
        assert yaml.safe_load(row.ours) != yaml.safe_load(row.reference)
        assert row.mention in DIFFERENCES, f"docs/differences.md does not mention {row.subject} {row.path}"


def test_every_preset_of_a_reference_is_in_the_table():
    covered = {row.subject.removeprefix("preset ") for row in ROWS if row.subject.startswith("preset ")}
    assert covered >= {"td3-pbt-halfcheetah", "td3-cemrl-hopper", "mf-pbt", "srddpg-cheetah-run", "evo-wta-cartpole"}
    assert {row.subject.removeprefix("algorithm ") for row in ROWS if row.subject.startswith("algorithm ")} == {
        name for name, description in algorithms().items() if description.home is None
    }


FORMER = {
    ("algorithm ddpg", "exploration_noise"): 0.1,
    ("algorithm dqn", "updates_per_step"): 1.0,
    ("method cem_rl", "initial_variance"): 0.01,
    ("method mf_pbt", "explore.factors"): [0.8, 1.2],
    ("preset td3-pbt-halfcheetah", "algorithm.network.layer_norm"): "none",
}


@pytest.mark.parametrize("place", FORMER, ids=" ".join)
def test_what_was_here_before_is_found_out(monkeypatch: pytest.MonkeyPatch, place: tuple[str, str]):
    (row,) = [row for row in ROWS if (row.subject, row.path) == place]
    monkeypatch.setattr(sys.modules[__name__], "look_up", lambda subject, path: FORMER[place])
    with pytest.raises(AssertionError, match=re.escape(row.source)):
        check(row)
