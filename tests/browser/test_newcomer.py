"""The newcomer's path: open the address, press Start, watch the population learn, look around, stop."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PRESET = "td3-pbt-pendulum-smoke"
MINUTE = 60_000.0
BOUND_SECONDS = 120.0
"""Only ends a test that hangs."""


def test_a_newcomer_starts_watches_and_stops_a_population(page: Page, platform, take_picture):
    page.goto("/")
    start = page.get_by_label(f"Start {PRESET}")
    expect(start).to_be_enabled()
    take_picture("1-first-start")
    start.click()

    expect(page).to_have_url(re.compile(r"/experiments/1\b"))
    expect(page.get_by_role("heading", name=PRESET)).to_be_visible()
    curves = page.get_by_test_id("curves")
    expect(curves).to_have_attribute("data-points", re.compile(r"^[1-9]\d*$"), timeout=4 * MINUTE)
    take_picture("2-first-curve")

    lineage = page.get_by_test_id("lineage")
    expect(lineage).to_have_attribute("data-exploits", re.compile(r"^[1-9]\d*$"), timeout=4 * MINUTE)
    [run] = platform.client.experiment(1).runs
    choose_a_descendant(page, platform, run.id)
    expect(page.get_by_text(re.compile("^Ancestry of"))).to_be_visible()
    schedule = page.get_by_role("region", name=re.compile("^Schedule of"))
    expect(schedule.get_by_text(re.compile(r"^\d+ cop(y|ies) from founder"))).to_be_visible()
    for name in ("policy learning rate", "critic learning rate", "discount", "exploration noise"):
        expect(schedule.get_by_role("img", name=re.compile(rf"^{name} from ", re.IGNORECASE))).to_be_visible()
    take_picture("3-ancestry-and-schedule")

    page.get_by_role("tab", name="Logs").click()
    log = page.get_by_role("log")
    expect(log.get_by_text("attempt 1 starts from the beginning")).to_be_attached()
    take_picture("4-logs")
    page.get_by_role("tab", name="Spec").click()
    expect(page.get_by_label("Spec of this experiment")).to_contain_text(f"name: {PRESET}")
    take_picture("5-spec")

    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("alertdialog").get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_test_id("run-status")).to_have_attribute("data-status", "stopped", timeout=MINUTE)
    assert platform.client.run(run.id).status == "stopped"

    page.get_by_role("tab", name="Overview").click()
    expect(curves).to_be_visible()
    page.emulate_media(color_scheme="dark")
    take_picture("6-stopped-dark")
    page.get_by_role("link", name="Phylon, home").click()
    expect(page.get_by_role("region", name="Ended since you were here").get_by_text(PRESET)).to_be_visible()
    take_picture("7-experiments-dark")


def choose_a_descendant(page: Page, platform, run_id: int) -> None:
    """Clicks the newest bar of each lane in which somebody was born by an exploit, until it is such a one: bars are too
    thin at first.

    Bars are paint on a canvas: the pointer's shape shows where one is, and the address which one was chosen.
    """
    timeline = page.get_by_test_id("lineage")
    deadline = time.monotonic() + BOUND_SECONDS
    while time.monotonic() < deadline:
        lineage, box = platform.client.lineage(run_id), timeline.bounding_box()
        assert box is not None
        born = {span.id: span.slot for span in lineage.spans if span.parent is not None}
        for slot in sorted(set(born.values())):
            y = (slot + 0.5) * box["height"] / lineage.population_size
            for x in range(int(box["width"]) - 4, 4, -8):
                timeline.hover(position={"x": x, "y": y})
                if timeline.evaluate("element => element.style.cursor") == "pointer":
                    timeline.click(position={"x": x, "y": y})
                    break
            page.wait_for_timeout(200)
            chosen = re.search(r"span=(\d+)", page.url)
            if chosen is not None and int(chosen[1]) in born:
                return
    pytest.fail(f"no bar of a descendant was found; they and their lanes are {born}")
