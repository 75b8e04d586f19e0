"""A page that stays open while `phylon up` is interrupted and started again in the same home."""

import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from phylon import Client
from tests.conftest import users_environment

pytestmark = pytest.mark.browser

MINUTE = 60_000.0
BOUND_SECONDS = 120.0
"""Only ends a test that hangs."""
WATCHED_MILLISECONDS = 15_000.0

SPEC = """
version: 1
name: handed-back
kind: training
environment: {suite: gymnasium, id: Pendulum-v1}
algorithm:
  name: td3
  batch_size: 128
  network: {hidden: [64, 64]}
  policy_learning_rate: {log_uniform: [1.0e-4, 1.0e-2]}
population:
  size: 4
  method: {name: pbt, interval: 2000, selection: {name: truncation, bottom: 0.25, top: 0.25}}
replay: {capacity: 12000, ratio: 1.0, warmup: 1000}
budget: {env_steps: 12000}
evaluation: {interval: 1000, episodes: 2}
metrics: {interval: 500}
checkpoint: {interval: 2000}
"""


@contextlib.contextmanager
def running_platform(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`phylon up` and its address. However the test ends, no process is left behind."""
    process = subprocess.Popen(
        [sys.executable, "-m", "phylon", "up", "--home", str(home), *arguments],
        env=users_environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address, f"`phylon up` printed {line!r} instead of its address"
        yield process, address[0]
    finally:
        if process.poll() is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
        process.wait(BOUND_SECONDS)
        process.stdout.close()


def wait(page: Page, is_there: Callable[[], bool], what: str) -> None:
    """Polls while the page goes on; a plain sleep would stop the delivery of its requests to this test."""
    deadline = time.monotonic() + BOUND_SECONDS
    while not is_there():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {BOUND_SECONDS:g} s for {what}")
        page.wait_for_timeout(100)


class Watched(NamedTuple):
    """A page with the paths that it has requested and the errors that it has thrown."""

    page: Page
    requests: list[str]
    errors: list[str]


def open_page(browser: Browser, address: str) -> Watched:
    watched = Watched(browser.new_page(viewport={"width": 1440, "height": 1000}), [], [])
    watched.page.on("pageerror", lambda error: watched.errors.append(str(error)))
    watched.page.on("request", lambda request: watched.requests.append(urlsplit(request.url).path))
    watched.page.goto(address)
    return watched


@pytest.mark.usefixtures("built_interface")
def test_an_open_page_follows_a_run_through_a_hand_back(browser: Browser, tmp_path: Path):
    home = tmp_path / "home"
    with running_platform(home) as (process, url), Client(url) as client:
        experiment = client.submit(SPEC)
        [run] = experiment.runs
        address = f"{url}/experiments/{experiment.id}"
        kept = open_page(browser, address)
        curves = kept.page.get_by_test_id("curves")
        expect(curves).to_have_attribute("data-points", re.compile(r"^([2-9]|\d{2,})$"), timeout=2 * MINUTE)
        process.send_signal(signal.SIGINT)
        wait(kept.page, lambda: process.poll() is not None, "`phylon up` to end in order")
        assert process.returncode == 0
        expect(kept.page.get_by_text("Live connection lost, reconnecting…")).to_be_visible(timeout=MINUTE)

    with running_platform(home, "--port", url.rpartition(":")[2]) as (_, again), Client(again) as client:
        assert again == url
        before = client.run(run.id)
        assert not before.ended, "the run ended before it could be handed back; give it a larger budget"
        wait(kept.page, lambda: client.run(run.id).last_seq > before.last_seq, "an event of the second attempt")
        kept.requests.clear()
        opened = open_page(browser, address)
        opened.page.wait_for_timeout(WATCHED_MILLISECONDS)
        for name, requests in (("kept", kept.requests), ("opened", opened.requests)):
            loads = requests.count(f"/api/v1/runs/{run.id}/lineage")
            assert loads <= 2, f"the {name} page loaded the run's history {loads} times in 15 s: {requests}"
            calls = [path for path in requests if path.startswith("/api/")]
            assert len(calls) <= 40, f"the {name} page sent {len(calls)} requests in 15 s: {calls}"

        newest = client.run(run.id).attempt
        assert newest == 2
        for page in (kept.page, opened.page):
            expect(page.get_by_test_id("run-status")).to_have_attribute("data-status", "finished", timeout=3 * MINUTE)
            expect(page.get_by_label("Run", exact=True).get_by_text("12,000", exact=True)).to_be_visible()
            page.get_by_role("tab", name="Logs").click()
            page.get_by_label("Attempt", exact=True).select_option(label=f"Attempt {newest}")
            expect(page.get_by_role("log").get_by_text(f"attempt {newest} starts from the checkpoint")).to_be_attached()
            expect(page.get_by_role("log").get_by_text("attempt 1 starts")).not_to_be_attached()
            page.close()
    assert kept.errors + opened.errors == []
