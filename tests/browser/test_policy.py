"""The whole page under its Content Security Policy: nothing that the browser had to block."""

import re

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PRESET = "td3-pbt-pendulum-smoke"
WATCH = """
window.violations = []
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`))
"""


def test_no_page_asks_for_what_the_policy_forbids(page: Page, platform, take_picture):
    """Fails on any violation that the browser reports; `page` fails on any error in its console as well."""
    page.add_init_script(WATCH)
    answer = page.goto("/")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy and "unsafe" not in policy
    page.get_by_label(f"Start {PRESET}").click()
    expect(page.get_by_role("heading", name=PRESET)).to_be_visible()
    expect(page.get_by_test_id("curves")).to_have_attribute("data-points", re.compile(r"^[1-9]\d*$"), timeout=120_000)
    expect_no_violation(page)

    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_role("log")).to_be_visible()
    page.get_by_role("tab", name="Spec").click()
    spec = page.get_by_label("Spec of this experiment")
    expect(spec).to_contain_text(f"name: {PRESET}")
    # The editor's style sheet is in force: it is added by a script, under the page's nonce.
    assert spec.evaluate("element => getComputedStyle(element).caretColor") != "auto"
    assert page.locator(".cm-gutters").first.evaluate("element => getComputedStyle(element).display") == "flex"
    expect_no_violation(page)

    page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.get_by_role("alertdialog")
    expect(dialog).to_be_visible()
    # So is the one with which a dialog keeps the page behind it from scrolling.
    assert page.evaluate("getComputedStyle(document.body).overflow") == "hidden"
    dialog.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_test_id("run-status")).to_have_attribute("data-status", "stopped", timeout=60_000)
    expect_no_violation(page)

    for address in ("/", "/new", "/studies", "/workers", "/import"):
        page.goto(address)
        page.wait_for_load_state("networkidle" if address != "/" else "load")
        expect(page.locator("#root")).not_to_be_empty()
        expect_no_violation(page)
    page.goto("/api/docs")
    expect(page.get_by_role("heading", name=re.compile("Phylon API"))).to_be_visible()
    expect_no_violation(page)
    take_picture("policy-api-docs")


def expect_no_violation(page: Page) -> None:
    assert page.evaluate("window.violations") == []
