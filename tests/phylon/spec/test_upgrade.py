"""A spec stored by any release can be read for ever: one frozen sample for each version."""

import json
from pathlib import Path
from typing import Any

import pytest

from phylon.spec import parse_spec, spec_to_json
from phylon.spec.upgrade import CURRENT_VERSION, upgrade

SAMPLES = Path(__file__).parent / "versions"


def test_every_version_has_its_sample():
    assert sorted(int(file.stem) for file in SAMPLES.glob("*.json")) == list(range(1, CURRENT_VERSION + 1))


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.json")), ids=lambda file: file.stem)
def test_a_stored_spec_is_lifted_and_keeps_what_it_said(file: Path):
    raw = json.loads(file.read_text())
    spec = parse_spec(raw)
    assert spec.version == CURRENT_VERSION
    assert (spec.name, spec.seed, spec.replicates, spec.population.size) == ("frozen-sample", 7, 2, 8)
    assert upgrade(spec_to_json(spec)) == spec_to_json(spec), "a lifted spec needs no further lifting"


def test_reading_the_newest_sample_changes_nothing_that_it_says():
    raw = json.loads((SAMPLES / f"{CURRENT_VERSION}.json").read_text())
    assert_says(spec_to_json(parse_spec(raw)), raw)


def assert_says(data: Any, said: Any) -> None:
    if isinstance(said, dict):
        for key, value in said.items():
            assert_says(data[key], value)
    else:
        assert data == said
