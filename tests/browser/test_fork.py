"""A winner's path onwards: choose a span of a finished run, fork it with another budget, and see where it came from."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.small_runs import make_spec

pytestmark = pytest.mark.browser

MINUTE = 60_000.0


def test_a_winner_is_forked_and_trained_further(page: Page, platform, take_picture):
    source = platform.submit(make_spec(name="source"))
    platform.wait_until_ended(source)
    newest = platform.client.lineage(source).spans[-1]

    page.goto(f"/experiments/1?span={newest.id}")
    page.get_by_role("link", name="Fork from here").click()
    expect(page).to_have_url(re.compile(rf"/new\?.*fork={source}"))
    expect(page.locator(".cm-content").first).to_contain_text(f"run: {source}")
    expect(page.get_by_text("Valid", exact=True)).to_be_visible(timeout=MINUTE)
    take_picture("fork-editor")
    page.get_by_role("button", name="Start experiment").click()

    expect(page).to_have_url(re.compile(r"/experiments/2\b"), timeout=MINUTE)
    expect(page.get_by_role("region", name="Forks").get_by_role("link", name="source")).to_be_visible()
    [run] = platform.client.experiment(2).runs
    ended = platform.wait_until_ended(run.id)
    assert ended.status == "finished", ended.error
    founders = [span for span in platform.client.lineage(run.id).spans if span.parent is None]
    assert founders and {(span.origin.run, span.origin.span) for span in founders} == {(source, newest.id)}
    take_picture("fork-of-a-winner")
    page.get_by_role("region", name="Forks").get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/experiments/1\b"))
    expect(page.get_by_role("region", name="Forks").get_by_text("Forked into")).to_be_visible()
    take_picture("fork-source")
