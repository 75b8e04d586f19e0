"""Before a run: is the environment sound? A worker says so, beside the form, while one waits."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

MINUTE = 60_000.0


def test_the_environment_of_a_new_experiment_is_checked(page: Page, platform, take_picture):
    page.goto("/new")
    button = page.get_by_role("button", name="Check this environment")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Check of the environment")
    status = dialog.get_by_test_id("environment-check-1-status")
    expect(status).to_have_attribute("data-status", "finished", timeout=MINUTE)  # by the stream: nothing is polled
    report = dialog.get_by_test_id("environment-report")
    expect(report).to_contain_text("a seed decides everything")
    expect(report).to_contain_text(re.compile(r"Algorithms that can learn here: .*td3"))
    take_picture("environment-check-light")
    page.emulate_media(color_scheme="dark")
    take_picture("environment-check-dark")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()

    [check] = platform.client.environment_checks()
    page.goto(f"/environment-checks?id={check.id}")
    expect(page.get_by_test_id("environment-report")).to_contain_text("a seed decides everything")
