"""Four running experiments in eight tabs of one browser: all of them stay live.

The test speaks a worker's protocol itself, so that it decides when something happens.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from .reporter import Reporter, connect

pytestmark = pytest.mark.browser

RUNS, TABS = 4, 8
BOUND = 90_000.0
"""Milliseconds; it only ends a test that hangs."""
SPEC = {
    "environment": "Pendulum-v1",
    "algorithm": "td3",
    "population": 4,
    "budget": 1_000_000,
}


@pytest.fixture
def platform(run_platform, built_interface) -> Iterator[Any]:
    with run_platform(lease_seconds=600.0, with_worker=False) as platform:
        yield platform


@pytest.fixture
def worker(platform) -> Iterator[Reporter]:
    with connect(platform, slots=RUNS) as worker:
        yield worker


def expect_ticks(tabs: list[Page], count: int) -> None:
    for tab in tabs:
        expect(tab.get_by_test_id("curves")).to_have_attribute("data-points", str(count), timeout=BOUND)


def test_eight_tabs_stay_live(browser: Browser, platform, worker: Reporter):
    experiments = [platform.client.submit(SPEC | {"name": f"watched-{number}"}) for number in range(RUNS)]
    for number, _ in enumerate(experiments, start=1):
        platform.wait(lambda number=number: worker.claim(number), f"job {number} to be sent")
    worker.report_returns(1)
    errors: list[str] = []
    with contextlib.closing(browser.new_context(base_url=platform.url)) as context:
        context.on("weberror", lambda error: errors.append(str(error.error)))
        tabs = [context.new_page() for _ in range(TABS)]
        for number, tab in enumerate(tabs):
            tab.goto(f"/experiments/{experiments[number % RUNS].id}", wait_until="commit")
        expect_ticks(tabs, 1)
        worker.report_returns(1)
        expect_ticks(tabs, 2)
        for tab in tabs[:3]:
            tab.close()
        late = context.new_page()  # joins a run that other tabs follow already
        late.goto(f"/experiments/{experiments[-1].id}")
        expect_ticks([late], 2)
        worker.report_returns(2)
        expect_ticks([*tabs[3:], late], 4)
        late.reload()
        expect_ticks([late], 4)
    assert errors == []
