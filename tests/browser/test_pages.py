"""Every page with data: what a person does about a failed run, how light the first is, what axe finds."""

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from .conftest import REPOSITORY, require
from .reporter import Reporter, connect

pytestmark = pytest.mark.browser

BOUND = 90_000.0
"""Milliseconds; it only ends a test that hangs."""
AXE = REPOSITORY / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
MOST_KILOBYTES = 200
"""Of compressed script before the first page is complete."""
LOOKS = (("light", 1440), ("dark", 390))
SPEC = {
    "environment": "Pendulum-v1",
    "algorithm": {"name": "td3", "policy_learning_rate": {"log_uniform": [1e-4, 1e-2]}},
    "population": 4,
    "budget": 10_000,
}
REASON = "All members diverged: the critic's loss is not finite"
PAGES = (
    "/",
    "/experiments",
    "/new",
    "/compare?experiments=[1,2]",
    "/queue",
    "/workers",
    "/studies",
    "/import",
    "/settings/account",
    "/settings/tokens",
    "/experiments/1",
    *(f"/experiments/1?tab={tab}" for tab in ("policy", "runtime", "attempts", "logs", "spec", "checkpoints")),
    "/experiments/2",
    "/nowhere",
)


@pytest.fixture(scope="module")
def platform(run_platform, built_interface) -> Iterator[Any]:
    """A finished, a failed and a waiting experiment, reported by a worker that trains nothing."""
    with run_platform(lease_seconds=600.0, with_worker=False) as platform, connect(platform, slots=2) as worker:
        for name in ("finished", "failed"):
            platform.client.submit(SPEC | {"name": name})
        for job in (1, 2):
            platform.wait(lambda job=job: worker.claim(job), f"job {job} to be sent")
        report_start(worker)
        worker.report_returns(3)
        finish(worker, 1)
        fail(worker, 2)
        platform.client.submit(SPEC | {"name": "waiting", "resources": {"device": "gpu"}}, wait_for_worker=True)
        yield platform


def report_start(worker: Reporter) -> None:
    founders = [
        {
            **{"id": slot, "slot": slot, "operator": "founder", "changes": {}, "weights": f"{slot:02}", "reasons": {}},
            **dict.fromkeys(("parent", "hyperparams_before", "fitness", "parent_fitness", "rank")),
            "hyperparams": {"policy_learning_rate": 10.0 ** (slot - 4)},
        }
        for slot in range(4)
    ]
    for job in worker.seqs:
        worker.report(job, {"kind": "lineage", "step": 0, "wall": 0.0, "spans": founders}, logs=("the trainer starts",))


def finish(worker: Reporter, job: int) -> None:
    final = {
        **{"member": 3, "span": 3, "mean": 5.0, "stderr": 1.0, "low": 3.0, "high": 7.0, "episodes": 50},
        **{"last_return": 6.0, "selection_bias": 1.0, "unseen_levels": False},
    }
    outcome = {"kind": "finished", "step": 10_000, "wall": 9.0, "reason": "budget", "best_member": 3, "fitness": 6.0}
    worker.report(job, outcome | {"final": final})


def fail(worker: Reporter, job: int) -> None:
    failure = {"kind": "failed", "step": 400, "wall": 5.0, "message": REASON, "remedy": "Lower the learning rate."}
    worker.report(
        job,
        failure | {"member": 3, "hyperparams": {"policy_learning_rate": 0.1}},
        logs=("the trainer starts", "member 3: critic_loss is nan"),
    )


def test_the_first_page_loads_little_script(browser: Browser, platform):
    """Whatever the browser fetches for it, lazily loaded and shared ones among them."""
    page = browser.new_page(base_url=platform.url)
    sizes: dict[str, float] = {}
    page.on("response", lambda answer: sizes.update(compressed_size(answer)))
    page.goto("/")
    expect(page.get_by_role("region", name=re.compile("^Failed"))).to_be_visible(timeout=BOUND)
    page.close()
    assert sizes, "the page loaded no script: this test no longer finds them"
    assert sum(sizes.values()) <= MOST_KILOBYTES, sizes


def compressed_size(answer: Response) -> dict[str, float]:
    """Of a script, in kilobytes, by its name."""
    is_script = "/assets/" in answer.url and answer.url.endswith(".js")
    return {answer.url: len(gzip.compress(answer.body())) / 1000} if is_script else {}


def test_why_a_run_failed_is_found_and_the_run_tried_again(page: Page, platform):
    """From the home page to the reason, the values and the log line; then it is back in the queue."""
    expect.set_options(timeout=BOUND)
    page.goto("/")
    page.get_by_role("region", name=re.compile("^Failed")).get_by_role("link", name=re.compile("failed")).first.click()
    notice = page.get_by_role("alert").filter(has_text=re.compile(r"The run failed in member \S*3"))
    expect(notice).to_contain_text(REASON)
    expect(notice).to_contain_text("Lower the learning rate.")
    expect(notice).to_contain_text("0.1")
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_role("log").get_by_text("member 3: critic_loss is nan")).to_be_visible()
    page.get_by_role("button", name="Retry").first.click()
    status = page.get_by_test_id("run-status")
    expect(status).to_have_attribute("data-status", re.compile("queued|dispatched"))
    expect(notice).not_to_be_visible()


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_grave_on_any_page(browser: Browser, platform, theme, width):
    require(AXE, "run `npm ci` in frontend/")
    context = browser.new_context(
        base_url=platform.url, viewport={"width": width, "height": 1000}, color_scheme=theme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.set_default_timeout(BOUND)
    found = {}
    for address in PAGES:
        page.goto(address)
        expect(page.get_by_role("main")).to_be_visible(timeout=BOUND)
        expect(page.locator("[aria-busy=true]")).to_have_count(0, timeout=BOUND)
        found |= {f"{address}: {name}": nodes for name, nodes in grave_findings(page).items()}
    page.keyboard.press("Control+k")
    expect(page.get_by_role("listbox", name="Commands")).to_be_visible(timeout=BOUND)
    found |= {f"palette: {name}": nodes for name, nodes in grave_findings(page).items()}
    context.close()
    assert found == {}, json.dumps(found, indent=2)


def grave_findings(page: Page) -> dict[str, list[str]]:
    """Rules that are broken, each with the elements that break it. Evaluated, so that the page's own policy holds."""
    page.evaluate(AXE.read_text())
    violations = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations)")
    return {
        violation["id"]: [node["html"][:200] for node in violation["nodes"]]
        for violation in violations
        if violation["impact"] in GRAVE
    }
