"""What must be true after a storm: every job done once and rightly, nothing left over, nobody dead."""

import os
import time
from pathlib import Path

import redis

from phylon.contract.study_events import Measured, study_event
from phylon.redis_url import client_url
from phylon.study import cell_of
from phylon.worker.supervisor.service import Service
from phylon.worker.supervisor.sweep import sweep
from tests.chaos.fleet import Fleet, wait
from tests.chaos.storm import BUDGET, STUDY, Jobs
from tests.small_runs import History, read_history

LONG_AGO_SECONDS = 2 * 86400
"""Files without a row are removed when they are old; so they are made old."""


def assert_all_is_well(fleet: Fleet, jobs: Jobs, undisturbed: dict[int, History]) -> None:
    assert_nobody_died(fleet)
    assert_results(fleet, jobs, undisturbed)
    assert_each_event_once(fleet, jobs)
    assert_no_process_is_left(fleet)
    assert_no_message_is_left(fleet)
    assert_no_folder_is_left(fleet)
    assert_no_artifact_is_left(fleet)


def assert_nobody_died(fleet: Fleet) -> None:
    """All that the storm killed it has started again; who is not there died by itself."""
    assert [process.name for process in fleet.processes() if not process.is_alive] == []
    wait(fleet.apis_answer, "both API processes to answer after the storm")


def assert_results(fleet: Fleet, jobs: Jobs, undisturbed: dict[int, History]) -> None:
    for run_id, seed in jobs.runs.items():
        run = fleet.client.run(run_id)
        assert (run.status, run.step, run.interruptions) == ("finished", BUDGET, []), run.error
        history, expected = read_history(fleet.client, run_id), undisturbed[seed]
        assert history.frames.keys() == expected.frames.keys()
        for name, frames in expected.frames.items():
            assert history.frames[name] == frames, f"{name} of run {run_id}"
        assert history.lineage == expected.lineage, f"the lineage of run {run_id}"
        assert history.outcome == expected.outcome, f"the outcome of run {run_id}"
    study = fleet.client.study(jobs.study)
    assert (study.status, study.error, study.done) == ("finished", None, len(STUDY.cells()))
    assert [cell_of(measurement) for measurement in study.measurements] == list(STUDY.cells())
    with fleet.database() as database:
        rows = database.execute("SELECT payload FROM events WHERE job_id = %s ORDER BY seq", [jobs.ids[-1]]).fetchall()
    events = [study_event.validate_json(payload) for (payload,) in rows]
    measured = [event.measurement for event in events if isinstance(event, Measured)]
    assert measured == list(study.measurements), "a cell was measured twice, or its measurement is not the stored one"


def assert_each_event_once(fleet: Fleet, jobs: Jobs) -> None:
    with fleet.database() as database:
        for job in jobs.ids:
            rows = database.execute("SELECT seq, payload::text FROM events WHERE job_id = %s ORDER BY seq", [job])
            events = rows.fetchall()
            assert [seq for seq, _ in events] == list(range(len(events))), f"job {job}"
            [(last,)] = database.execute("SELECT last_seq FROM jobs WHERE id = %s", [job]).fetchall()
            assert last == len(events) - 1, f"job {job}"
        open_attempts = 'SELECT job_id, number FROM attempts WHERE job_id = ANY(%s) AND "end" IS NULL'
        assert database.execute(open_attempts, [jobs.ids]).fetchall() == []


def assert_no_process_is_left(fleet: Fleet) -> None:
    """One that was fenced off may need a moment to hear of it."""
    wait(lambda: not fleet.job_processes(), "the processes of jobs to be gone")


def assert_no_message_is_left(fleet: Fleet) -> None:
    with redis.from_url(client_url(fleet.redis_url)) as connection:
        wait(lambda: not [key for key in connection.keys("phylon.worker*")], "the queues to be empty")


def assert_no_folder_is_left(fleet: Fleet) -> None:
    """A worker sweeps at its start and every ten minutes; here it is asked to do so now."""
    for number, station in enumerate(fleet.stations):
        credential = (fleet.folder / "worker-credentials" / f"storm-{number}").read_text().strip()
        service = Service(station.link.url, credential)
        try:
            sweep(service, station.runs)
        finally:
            service.close()
        assert sorted(path.name for path in station.runs.rglob("*")) == [], f"on the disk of worker {number}"


def assert_no_artifact_is_left(fleet: Fleet) -> None:
    """Every file has a row and every row its file. The service sweeps at its start what is old and has none."""
    then = time.time() + fleet.clock.seconds - LONG_AGO_SECONDS
    for path in files(fleet.artifacts):
        os.utime(path, (then, then))
    api = fleet.apis[0]
    api.end()
    api.start()
    wait(fleet.apis_answer, "the API process that was started again")
    with fleet.database() as database:
        rows = {row[0] for row in database.execute("SELECT path FROM artifacts").fetchall()}
    missing = rows - {str(path.relative_to(fleet.artifacts)) for path in files(fleet.artifacts)}
    assert missing == set(), "rows without their files"
    wait(
        lambda: {str(path.relative_to(fleet.artifacts)) for path in files(fleet.artifacts)} == rows,
        "files without a row to be swept",
    )


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
