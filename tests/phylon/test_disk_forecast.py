"""What checkpoints take of the disk, before there are any."""

import pytest

from phylon.forecast.disk import checkpoint_disk
from phylon.forecast.memory import population_memory, replay_bytes
from phylon.presets import load_preset
from phylon.spec import parse_document, read_yaml


def spec_with(**keep):
    document = read_yaml(load_preset("td3-pbt-pendulum-smoke").yaml)
    document["budget"] = {"env_steps": 12_000}
    document["checkpoint"] = {"interval": 2_000, "keep": keep}
    return parse_document(document)


@pytest.mark.parametrize(
    ("keep", "kept"),
    [({}, 4), ({"last": 1, "best": False}, 2), ({"last": 100}, 6), ({"branches": True}, 6)],
)
def test_how_many_are_kept(keep, kept):
    assert checkpoint_disk(spec_with(**keep)).kept == kept


def test_one_holds_all_states_and_the_replay():
    spec = spec_with()
    states = spec.population.size * population_memory(spec).state
    disk = checkpoint_disk(spec)
    assert disk.bytes == states + replay_bytes(spec)
    assert disk.total == 4 * disk.bytes


def test_a_number_means_the_last_so_many():
    document = read_yaml(load_preset("td3-pbt-pendulum-smoke").yaml)
    document["checkpoint"] = {"keep": 5}
    assert parse_document(document).checkpoint.keep.last == 5
