"""A real Chromium in front of a real platform that serves the built user interface."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
PICTURES = REPOSITORY / "test-results"
"""Screenshots for people to look at; no test compares them."""
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def require(path: Path, remedy: str) -> None:
    """Without it these tests cannot run. On CI that is a failure: there, nothing may be left out unnoticed."""
    if not path.exists():
        message = f"{path} is missing: {remedy}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    require(Path(CHROMIUM), "install the Debian package chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def built_interface() -> None:
    require(REPOSITORY / "frontend" / "dist" / "index.html", "run `npm ci && npm run build` in frontend/")


@pytest.fixture
def platform(run_platform, built_interface):
    """A platform as a newcomer finds it: empty, with the default lease."""
    with run_platform(lease_seconds=15.0) as platform:
        yield platform


@pytest.fixture
def page(browser: Browser, platform) -> Iterator[Page]:
    """A page on which any error that the browser reports fails the test."""
    errors: list[str] = []
    page = browser.new_page(base_url=platform.url, viewport={"width": 1440, "height": 1000})
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def take_picture(page: Page):
    def take(name: str) -> None:
        PICTURES.mkdir(exist_ok=True)
        page.evaluate("window.scrollTo(0, 0)")  # else the header sticks in the middle of a picture of the whole page
        page.screenshot(path=PICTURES / f"{name}.png", full_page=True)

    return take
