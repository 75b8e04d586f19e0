"""Advice through the API: memory of the workers, studies of their devices, and what to do without one."""

import pytest

from phylon.presets import load_preset
from phylon.spec import parse_study, read_yaml
from phylon.study import Machine, Study, measured

YAML = load_preset("td3-pbt-halfcheetah").yaml
SPEC = parse_study(
    {
        "version": 1, "name": "figure", "kind": "runtime_study", "algorithms": ["td3"], "strategies": ["vectorized"],
        "population_sizes": [1, 4, 8], "batch_sizes": [256], "hidden": [[256, 256]],
    }
)  # fmt: skip
COSTS = {1: 2.0, 4: 2.3, 8: 10.3}


@pytest.fixture
def advise(client):
    def ask(yaml: str = YAML):
        answer = client.post("/api/v1/specs/advice", json={"yaml": yaml})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


@pytest.fixture
def upload(client):
    def send(spec=SPEC, device_name="a processor", cores=2) -> int:
        machine = Machine(
            device="cpu", device_name=device_name, device_count=1, cores=cores, memory_bytes=8, versions={}
        )
        found = [measured(cell, [COSTS[cell.population_size]] * 2, 1, 0.5, 1, 1, None) for cell in spec.cells()]
        study = Study(spec=spec, machine=machine, measurements=tuple(found))
        header = study.model_dump_json(include={"spec", "machine"})
        lines = [header, *(one.model_dump_json() for one in found)]
        answer = client.post("/api/v1/studies/upload", json={"content": "\n".join(lines) + "\n"})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    return send


def test_without_a_worker_the_forecast_stands_alone(advise):
    advice = advise()
    assert (advice["members"], advice["workers"], advice["elsewhere"]) == (80, [], [])
    assert advice["member_host_bytes"] > advice["member_step_bytes"] > advice["member_state_bytes"] > 10**6
    assert parse_study(read_yaml(advice["probe"])).algorithms == ("td3",)


def test_members_are_counted_by_what_runs_out_first(advise, worker, make_worker):
    make_worker("card", device="gpu", device_name="a card", device_count=2, memory_bytes=2 * 2**30,
                host_memory_bytes=4 * 2**30)  # fmt: skip
    make_worker("old", device="gpu", device_name="a card", device_count=1, memory_bytes=2**30)
    advice = advise()
    processor, card, old = advice["workers"]
    on_device = advice["member_state_bytes"] + advice["member_step_bytes"]
    each = on_device + advice["member_host_bytes"]
    assert (processor["members"], processor["limit"]) == (12 * 2**30 // each, "memory")
    assert (card["members"], card["limit"]) == (3 * 2**30 // advice["member_host_bytes"], "host")
    assert (card["usable_bytes"], card["needed_bytes"]) == (3 * 2**30, 80 * advice["member_host_bytes"])
    assert (old["members"], old["limit"]) == (3 * 2**28 // on_device, "device")
    assert processor["speed"] is None and processor["measuring_study_id"] is None


def test_only_sharded_members_have_all_cards(advise, make_worker):
    make_worker("cards", device="gpu", device_count=4, memory_bytes=4 * 2**30, host_memory_bytes=2**50)
    together, apart = advise(), advise(YAML + "execution: sharded\n")
    each = together["member_state_bytes"] + together["member_step_bytes"]
    assert together["workers"][0]["members"] == 3 * 2**28 // each
    assert apart["workers"][0]["members"] == 3 * 2**30 // each


def test_a_study_of_the_device_tells_what_one_more_costs(advise, worker, upload):
    study = upload()
    speed = advise()["workers"][0]["speed"]
    assert (speed["study_id"], speed["study_name"], speed["is_same_size"]) == (study, "figure", True)
    assert [point["population_size"] for point in speed["points"]] == [1, 4, 8]
    assert (speed["single_milliseconds"], speed["nearly_free_up_to"]) == (2.0, 4)
    assert speed["one_more_milliseconds"] == pytest.approx(2.0)


def test_the_most_alike_study_wins_and_then_the_newest(advise, worker, upload):
    same = upload()
    other = parse_study(SPEC.model_dump(mode="json") | {"batch_sizes": [64]})
    upload(other)
    assert advise()["workers"][0]["speed"]["study_id"] == same
    newer = upload()
    assert advise()["workers"][0]["speed"]["study_id"] == newer


def test_other_devices_are_told_apart(advise, worker, upload):
    upload(device_name="another processor")
    newest = upload(device_name="another processor")
    more_cores = upload(cores=64)
    advice = advise()
    assert advice["workers"][0]["speed"] is None
    assert [speed["study_id"] for speed in advice["elsewhere"]] == [more_cores, newest]


def test_a_probe_is_submitted_to_the_worker_and_seen_until_it_ends(client, advise, worker):
    body = {"yaml": advise()["probe"], "worker_id": worker.id}
    study = client.post("/api/v1/studies", json=body).json()["id"]
    assert advise()["workers"][0]["measuring_study_id"] == study
    client.post(f"/api/v1/studies/{study}/stop")
    assert advise()["workers"][0]["measuring_study_id"] is None


def test_where_no_study_can_tell_the_reason_is_told(advise, worker, upload):
    upload()
    advice = advise(load_preset("td3-cemrl-hopper-smoke").yaml)
    assert "share a critic" in advice["unmeasured"]
    assert (advice["probe"], advice["elsewhere"], advice["workers"][0]["speed"]) == (None, [], None)


def test_a_group_is_advised_by_its_largest_experiment(advise):
    assert "quadruped" in advise(load_preset("dmc15").yaml)["experiment"]


@pytest.mark.parametrize("yaml", ["version: 1", load_preset("figure2-dqn").yaml])
def test_what_is_no_experiment_is_refused(client, yaml):
    assert client.post("/api/v1/specs/advice", json={"yaml": yaml}).status_code == 422
