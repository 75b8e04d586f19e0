"""`make screenshots`: trains a small population and measures a small study on a platform of its own, and takes the
pictures of docs/images from them, so that they show what the pages look like today.

`python docs/screenshots.py --url http://127.0.0.1:8787` takes them from a platform that runs already, and trains there
only what it does not have.
"""

import argparse
import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from phylon import Client, load_preset

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
TRAINED = "td3-pbt-pendulum-smoke"
MEASURED = "figure2-td3-sac-smoke"
BOUND = 1800.0
"""Seconds; both end within minutes on two idle cores."""


@contextlib.contextmanager
def own_platform() -> Iterator[str]:
    """`phylon up` in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "phylon", "up", "--home", home]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if address := re.search(r"http://127\.0\.0\.1:\d+", line):
                    yield address[0]
                    break
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(BOUND)


def wait(is_there: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + BOUND
    while not is_there():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {BOUND:g} s for {what}")
        time.sleep(2)


def train(client: Client) -> int:
    """The experiment that is shown: the newest that finished, or a new one."""
    query = f'name = "{TRAINED}" and status = finished'
    if not client.experiments(query=f'name = "{TRAINED}" and status in (queued, running, finished)'):
        client.submit(load_preset(TRAINED).yaml)
    wait(lambda: bool(client.experiments(query=query)), "the population to be trained")
    return client.experiments(query=query)[0].id


def measure(client: Client) -> int:
    def those(*statuses: str) -> list[int]:
        return [study.id for study in client.studies() if study.name == MEASURED and study.status in statuses]

    if not those("queued", "dispatched", "running", "finished"):
        client.submit_study(load_preset(MEASURED).yaml)
    wait(lambda: bool(those("finished")), "the study to be measured")
    return those("finished")[0]


def descendant(client: Client, experiment: int) -> int:
    """The longest ancestry among those who are alive at the end: of the newest spans that have a parent."""
    lineage = client.lineage(client.experiment(experiment).runs[0].id)
    return max(span.id for span in lineage.spans if span.parent is not None)


def settle(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=60_000)
    page.wait_for_timeout(1500)  # charts draw after their data came


def take_pictures(url: str, experiment: int, study: int, span: int) -> None:
    def take(page: Page, name: str) -> None:
        page.screenshot(path=IMAGES / f"{name}.png")
        print(f"docs/images/{name}.png")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(base_url=url, viewport={"width": 1440, "height": 1120}, color_scheme="light")
        settle(page, f"/experiments/{experiment}")
        page.get_by_test_id("curves").evaluate(
            "chart => window.scrollTo(0, chart.getBoundingClientRect().top + scrollY - 220)"
        )
        take(page, "experiment")
        settle(page, f"/experiments/{experiment}?span={span}")
        page.get_by_test_id("lineage").evaluate(
            "chart => window.scrollTo(0, chart.getBoundingClientRect().top + scrollY - 180)"
        )
        page.wait_for_timeout(1000)
        take(page, "schedule")
        settle(page, f"/new?preset={TRAINED}")
        expect(page.get_by_text("Valid", exact=True)).to_be_visible(timeout=60_000)
        take(page, "new")
        settle(page, f"/studies?ids=[{study}]")
        take(page, "studies")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="of a platform that runs already")
    given = parser.parse_args().url
    with contextlib.nullcontext(given) if given else own_platform() as url, Client(url) as client:
        experiment, study = train(client), measure(client)
        take_pictures(url, experiment, study, descendant(client, experiment))


if __name__ == "__main__":
    main()
