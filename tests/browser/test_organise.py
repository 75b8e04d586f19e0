"""Fifty experiments put in order: found by a query, tagged, kept as a view, archived, grouped, and annotated."""

import re

import pytest
from playwright.sync_api import Page, expect

from phylon.contract.experiments import BulkAction

pytestmark = pytest.mark.browser

SWEEP = """
kind: sweep
name: NAME
base: {environment: Pendulum-v1, algorithm: ALGORITHM, population: 2, budget: 20k}
grid:
  algorithm.batch_size: [16, 32, 64, 128, 256]
  seed: [1, 2, 3, 4, 5]
"""


def test_fifty_experiments_are_put_in_order(page: Page, platform, take_picture):
    expect.set_options(timeout=60_000)
    for name, algorithm in (("ours", "td3"), ("theirs", "sac")):
        platform.client.submit(SWEEP.replace("NAME", name).replace("ALGORITHM", algorithm))
    ids = [experiment.id for experiment in platform.client.experiments()]
    assert len(ids) == 50
    platform.client.act_on_experiments(ids, BulkAction.STOP)

    page.goto("/experiments")
    grid = page.get_by_role("grid", name="Experiments")
    expect(grid).to_have_attribute("aria-rowcount", "51")
    query = page.get_by_role("combobox", name="Query")
    page.keyboard.press("/")
    expect(query).to_be_focused()
    query.type("algo")
    page.get_by_role("option", name=re.compile("^algorithm")).first.click()
    query.type("= td3 and algorithm.batch_size > 100")
    query.press("Enter")
    expect(page.get_by_text("10 experiments", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("batch_size"))

    page.get_by_label("Select all that are shown").check()
    selected = page.get_by_role("region", name="Selected experiments")
    expect(selected.get_by_text("10 selected")).to_be_visible()
    selected.get_by_label("Tag for the selected experiments").fill("paper")
    selected.get_by_role("button", name="Tag", exact=True).click()
    expect(page.get_by_text("10 experiments tagged").first).to_be_visible()
    assert len(platform.client.experiments(query="tag = paper")) == 10
    compare = selected.get_by_role("link", name="Compare").get_attribute("href") or ""
    assert compare.startswith("/compare?experiments=") and compare.count(",") == 9

    query.fill("tag = paper")
    query.press("Enter")
    expect(page.get_by_text("10 experiments", exact=True)).to_be_visible()
    page.get_by_role("button", name="Columns").click()
    page.get_by_label("Find a column").fill("batch_size")
    page.get_by_role("checkbox", name="spec.algorithm.batch_size").check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="algorithm.batch_size").click()
    expect(grid.get_by_role("row").nth(1)).to_contain_text("256")
    page.get_by_role("button", name="Views").click()
    page.get_by_label("Name of the view").fill("for the paper")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("View for the paper is saved").first).to_be_visible()
    take_picture("organise-1-view")

    page.goto("/experiments?query=algorithm+%3D+sac")
    expect(page.get_by_text("25 experiments", exact=True)).to_be_visible()
    row = grid.locator("[data-place='0']")
    row.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(selected.get_by_text("2 selected")).to_be_visible()
    selected.get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_text("23 experiments", exact=True)).to_be_visible()
    assert len(platform.client.experiments(query="archived = yes")) == 2

    page.goto("/experiments")
    page.get_by_label("Group by").select_option("group")
    page.get_by_role("button", name=re.compile("theirs.*23 experiments")).click()
    expect(page.get_by_role("grid", name="Experiments, group theirs")).to_have_attribute("aria-rowcount", "24")
    take_picture("organise-2-grouped")
    page.get_by_role("button", name="Views").click()
    page.get_by_role("button", name=re.compile("^for the paper")).click()
    expect(page.get_by_text("10 experiments", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("tag"))

    grid.locator("[data-place='0']").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/experiments/\d+"))
    page.get_by_role("button", name="Write notes, rename").click()
    page.get_by_label("Notes, in Markdown").fill("# Best\nSee **this** <img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Save", exact=True).click()
    notes = page.get_by_role("region", name="Tags and notes")
    expect(notes.get_by_role("heading", name="Best")).to_be_visible()
    expect(notes.get_by_text("<img src=x")).to_be_visible()
    take_picture("organise-3-notes")
    page.get_by_role("link", name="Phylon, home").click()
    expect(page.get_by_role("region", name="Ended since you were here")).to_contain_text(re.compile("ours|theirs"))
    take_picture("organise-4-home")
