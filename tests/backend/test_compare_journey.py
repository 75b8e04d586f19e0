"""A person compares two algorithms in a real Chromium and exports the table; page, REST and CLI agree."""

import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Locator, Page, expect, sync_playwright
from typer.testing import CliRunner

from phylon import Client
from phylon.backend.app import create_app
from phylon.backend.settings import Settings
from phylon.cli.app import app as command_line

from .conftest import WorkerClient, wait_for

pytestmark = pytest.mark.browser

DIST = Path(__file__).parents[2] / "frontend" / "dist"
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120_000
"""Only ends a test that hangs."""


@pytest.fixture
def app(settings: Settings) -> Iterator[FastAPI]:
    """With the built pages."""
    if not (DIST / "index.html").exists() or not CHROMIUM.exists():
        pytest.skip("needs the built UI (`npm ci && npm run build` in frontend/) and the Debian package chromium")
    app = create_app(dataclasses.replace(settings, frontend=DIST))
    yield app
    app.state.context.doorbell.close()
    app.state.context.database.dispose()


@pytest.fixture
def page() -> Iterator[Page]:
    """On which any error that the browser reports fails the test."""
    errors: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 1000})
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        yield page
        browser.close()
    assert errors == []


def trained(submit: Callable[..., Any], make_worker: Callable[..., WorkerClient], name: str, scores, **changes):
    """An experiment with one run for each score, as a worker reports it."""
    experiment = submit(name=name, replicates=len(scores), **changes)
    for run, score in zip(experiment["runs"], scores, strict=True):
        worker = make_worker(f"{name}-{run['id']}")
        final = {
            **{"member": 1, "span": 1, "mean": score, "stderr": 1.0, "low": score - 2, "high": score + 2},
            **{"episodes": 50, "last_return": score, "selection_bias": 0.0, "unseen_levels": False},
        }
        events = [
            {
                **{"kind": "metrics", "seq": tick, "step": 200 * (tick + 1), "wall": 3.0 * (tick + 1)},
                "frames": {"evaluation/return": [score * (tick + 1) / 10] * 4, "time/update": [2.0], "time/env": [1.0]},
            }
            for tick in range(10)
        ]
        ended = {"kind": "finished", "seq": 10, "step": 2000, "wall": 31.0, "best_member": 1, "fitness": score}
        answer = worker.report(run["id"], worker.take(run["id"]), [*events, ended | {"final": final}])
        assert answer.is_success, answer.text
    return experiment


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_compare_two_algorithms_and_export_the_table(app, submit, make_worker, page: Page):
    trained(submit, make_worker, "td3", [40.0, 44.0, 48.0, 52.0])
    sac = {"name": "sac", "batch_size": 16, "network": {"hidden": [8, 8]}, "discount": {"uniform": [0.9, 0.99]}}
    trained(submit, make_worker, "sac", [70.0, 75.0, 80.0, 95.0], algorithm=sac)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="server")
    thread.start()
    try:
        wait_for(lambda: server.started, "the service to listen")
        journey(page, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()


def see(what: Locator) -> None:
    expect(what).to_be_visible(timeout=PATIENCE)


def journey(page: Page, url: str) -> None:
    page.goto(f"{url}/compare")
    page.get_by_role("button", name="Choose arms").click()
    for name in ("td3", "sac"):
        page.get_by_role("checkbox", name=name).check()
    page.keyboard.press("Escape")
    with Client(url) as client:
        asked = {experiment.name: experiment.id for experiment in client.experiments()}
        found = client.compare([asked["td3"], asked["sac"]])
    assert found.verdict.better == f"experiment-{asked['sac']}"
    see(page.get_by_text(found.verdict.headline))
    see(page.get_by_role("list", name="Caveats").get_by_text("Fewer than 10 replicates"))
    scores = page.get_by_role("region", name="Scores")
    sac = found.arms[1].mean
    assert sac and sac.value == 80.0 and sac.low is not None and sac.high is not None
    expect(scores.get_by_role("row").filter(has_text="sac").get_by_role("cell").nth(2)).to_have_text(
        f"80 [{sac.low:.3g}, {sac.high:.3g}]", timeout=PATIENCE
    )
    see(page.get_by_role("img", name="Return over steps per member: td3 ends at 46, sac ends at 80"))
    config = page.get_by_role("region", name="What differs")
    see(config.get_by_role("row").filter(has_text="algorithm.name").get_by_role("cell", name="sac"))
    with page.expect_download() as downloading:
        scores.get_by_role("link", name="Download the table as CSV").click()
    table = downloading.value.path().read_text()
    arguments = ["compare", str(asked["td3"]), str(asked["sac"]), "--url", url]
    printed = CliRunner().invoke(command_line, [*arguments, "--format", "csv"])
    assert printed.exit_code == 0 and printed.stdout == table, printed.output
    assert f"sac,4,80.0,{sac.low!r},{sac.high!r}," in table
    latex = CliRunner().invoke(command_line, [*arguments, "--format", "latex"]).stdout
    assert r"sac & 4 & $80$" in latex
    for_people = CliRunner().invoke(command_line, arguments).stdout
    assert found.verdict.headline in for_people and "experiment-" in for_people
    for ending in ("PNG", "SVG"):
        with page.expect_download() as downloading:
            page.get_by_role("button", name=f"Save curves as {ending}").click()
        assert downloading.value.path().stat().st_size > 1000
    page.get_by_label("Axis").select_option("total_steps")
    page.wait_for_url("**axis=total_steps**")
    page.reload()
    see(page.get_by_text(found.verdict.headline))
    page.get_by_role("button", name="Remove td3").click()
    see(page.get_by_text("There is one arm: add another to compare it with."))
