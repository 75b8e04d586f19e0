"""A team's first day: the first admin comes by the printed link, invites a person, and reads what was done."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from phylon import Client, load_preset
from phylon.errors import ApiError

pytestmark = pytest.mark.browser

MINUTE = 60_000.0
PASSWORD = "correct horse battery staple"
PRESET = "td3-pbt-pendulum-smoke"
REFUSAL = re.compile(r"responded with a status of 40[134] ")
"""The browser itself reports that, where nobody is signed in, a link is used up, or something is another project's."""


@contextmanager
def person(browser: Browser, url: str) -> Iterator[Page]:
    """A browser of one's own. Any error that it reports fails the test, and so does a secret in an address."""
    errors: list[str] = []
    context = browser.new_context(base_url=url, viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(MINUTE)
    page.on("pageerror", lambda error: errors.append(f"uncaught: {error}"))
    page.on(
        "console",
        lambda message: (
            errors.append(message.text) if message.type == "error" and not REFUSAL.search(message.text) else None
        ),
    )
    page.on("request", lambda request: errors.append(request.url) if "code=" in request.url.split("#")[0] else None)
    yield page
    context.close()
    assert errors == []


def choose(page: Page, name: str, **more: str) -> None:
    """Fills in who one is and a password."""
    page.get_by_label("Your name").fill(name)
    for label, value in more.items():
        page.get_by_label(label.replace("_", " ")).fill(value)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Account of {name}")).to_be_visible(timeout=MINUTE)


@pytest.mark.usefixtures("built_interface")
def test_the_first_day_of_a_team(browser: Browser, run_platform):
    expect.set_options(timeout=MINUTE)
    with ExitStack() as stack:
        platform = stack.enter_context(run_platform(lease_seconds=15.0, with_accounts=True))
        admin = stack.enter_context(person(browser, platform.url))
        [link] = re.findall(rf"{re.escape(platform.url)}/first-admin#code=[\w-]+", platform.api.log.read_text())

        admin.goto("/settings/projects")
        expect(admin).to_have_url(re.compile(r"/sign-in\?next="))
        admin.goto(link)
        choose(admin, "Ada", **{"E-mail_address": "ada@example.org"})
        admin.goto("/settings/projects")
        admin.get_by_label("Name").fill("robots")
        admin.get_by_role("button", name="Create").click()
        expect(admin.get_by_role("link", name="robots")).to_be_visible()
        admin.goto("/settings/people")
        admin.get_by_label("E-mail address").fill("bob@example.org")
        admin.get_by_role("main").get_by_label("Project").select_option("robots")
        admin.get_by_role("button", name="Invite").click()
        invitation = admin.get_by_role("region", name="The invitation of bob@example.org").locator("pre").inner_text()

        bob = stack.enter_context(person(browser, platform.url))
        bob.goto(invitation)
        expect(bob.get_by_text("You are invited to the project robots as a member.")).to_be_visible()
        choose(bob, "Bob")
        late = stack.enter_context(person(browser, platform.url))
        late.goto(f"{platform.url}/invitation#code=wrong")
        expect(late.get_by_role("alert")).to_contain_text("was used already, or has expired")

        bob.get_by_role("button", name="Account of Bob").click()
        bob.get_by_role("menuitem", name="Tokens").click()
        bob.get_by_label("What it is for").fill("laptop")
        bob.get_by_role("button", name="Make a token").click()
        token = bob.get_by_role("region", name="The token laptop").locator("pre").inner_text()
        with Client(platform.url, token=token) as script:
            theirs = script.submit(load_preset(PRESET).yaml)
        assert (theirs.owner.name, theirs.project.name) == ("Bob", "robots")

        admin.goto("/new")
        admin.get_by_label(f"Start {PRESET}").click()
        expect(admin).to_have_url(re.compile(r"/experiments/2\b"))
        expect(admin.get_by_text("yours · project default")).to_be_visible()
        bob.goto("/experiments")
        expect(bob.get_by_role("grid").get_by_role("link", name=PRESET)).to_have_count(1)
        bob.goto("/experiments/2")
        expect(bob.get_by_text("Page not found")).to_be_visible()

        admin.goto("/settings/projects")
        admin.get_by_role("link", name="robots").click()
        admin.get_by_label("Role of Bob").select_option("viewer")
        expect(admin.get_by_label("Role of Bob")).to_have_value("viewer")
        bob.goto(f"/experiments/{theirs.id}")
        stop = bob.get_by_role("button", name="Stop", exact=True)
        expect(stop).to_have_attribute("aria-disabled", "true")
        expect(stop).to_have_attribute("title", re.compile("only a viewer of project robots"))
        bob.goto("/new")
        expect(bob.get_by_text("Valid", exact=True)).to_be_visible()

        admin.goto("/settings/audit")
        for action in ("invitation.create", "token.create", "experiment.create", "member.set"):
            expect(admin.get_by_role("cell", name=action).first).to_be_visible()
        admin.get_by_label("Who").fill("bob")
        admin.keyboard.press("Enter")
        expect(admin.get_by_role("cell", name="invitation.create")).to_have_count(0)
        expect(admin.get_by_role("cell", name="experiment.create")).to_have_count(1)
        assert token not in admin.content()

        bob.get_by_role("button", name="Account of Bob").click()
        bob.get_by_role("menuitem", name="Sign out").click()
        expect(bob.get_by_role("heading", name="Sign in")).to_be_visible()
        bob.goto(f"/experiments/{theirs.id}")
        bob.get_by_label("E-mail address").fill("bob@example.org")
        bob.get_by_label("Password", exact=True).fill(PASSWORD)
        bob.keyboard.press("Enter")
        expect(bob).to_have_url(re.compile(rf"/experiments/{theirs.id}\b"))
        with Client(platform.url, token=token) as script:
            script.sign_out()
            with pytest.raises(ApiError, match="revoked"):
                script.me()
