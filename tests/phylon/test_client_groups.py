"""Groups through the Python client, against the real service."""

import pytest

from phylon import Client, NotFound, SpecInvalid, load_preset
from phylon.contract.experiments import Experiment
from phylon.contract.groups import ExperimentGroup
from phylon.spec import Group, parse_document, read_yaml

SMOKE = load_preset("dmc15-smoke").yaml
SINGLE = load_preset("td3-pbt-pendulum-smoke").yaml


def test_submitted_as_text_as_data_and_parsed(client: Client, tmp_path):
    parsed = parse_document(read_yaml(SMOKE))
    assert isinstance(parsed, Group)
    (tmp_path / "group.yaml").write_text(SMOKE)
    for source in (SMOKE, tmp_path / "group.yaml", read_yaml(SMOKE), parsed):
        group = client.submit(source)
        assert isinstance(group, ExperimentGroup)
        assert (group.name, group.size, group.counts) == ("dmc15-smoke", 15, {"queued": 15})
        assert parse_document(read_yaml(group.yaml)) == parsed
    assert isinstance(client.submit(SINGLE), Experiment)


def test_read_stopped_and_deleted(client: Client):
    group = client.submit(SMOKE)
    assert client.group(group.id) == group
    assert client.groups(limit=1)[0].id == group.id
    experiments = client.experiments(group=group.id)
    assert len(experiments) == 15
    assert client.experiment(experiments[0].id).group.name == "dmc15-smoke"
    assert client.stop_group(group.id).counts == {"stopped": 15}
    client.delete_group(group.id)
    with pytest.raises(NotFound):
        client.group(group.id)
    assert len(client.experiments(group=group.id)) == 0


def test_refused_with_the_places_of_the_problems(client: Client):
    before = len(client.groups())
    with pytest.raises(SpecInvalid) as caught:
        client.submit(SMOKE.replace("FishSwim", "FishSwin"))
    assert [problem["path"] for problem in caught.value.problems] == ["experiments.fish-swim.environment.id"]
    assert len(client.groups()) == before
    report = client.validate(SMOKE)
    assert report.valid and report.forecast and report.forecast.experiments == 15
