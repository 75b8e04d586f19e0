"""The queue, the workers and how runs go on, as a person sees and steers them: one platform, one busy worker."""

import os
import re
import signal

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

BOUND = 180_000.0
"""Only ends a test that hangs."""

SPEC = """
version: 1
name: {name}
kind: training
environment: {{suite: gymnasium, id: Pendulum-v1}}
algorithm:
  name: td3
  batch_size: 16
  network: {{hidden: [8, 8]}}
  policy_learning_rate: {{log_uniform: [1.0e-4, 1.0e-2]}}
population: {{size: 4, method: {{name: pbt, interval: 400}}}}
replay: {{capacity: 4000, ratio: 1.0, warmup: 200}}
budget: {{env_steps: {steps}}}
evaluation: {{interval: 400, episodes: 1, final: 2}}
metrics: {{interval: 200}}
checkpoint: {{interval: 400}}
execution: {{strategy: vectorized}}
"""


def waiting(page: Page) -> Locator:
    return page.get_by_role("list", name="Waiting jobs").get_by_role("listitem")


def choose(page: Page, name: str, item: str) -> None:
    page.get_by_role("button", name=re.compile(f"Actions of job .*{name}")).click()
    page.get_by_role("menuitem", name=item).click()


def test_the_queue_is_seen_and_steered(page: Page, platform, take_picture):
    client = platform.client
    [long_run] = client.submit(SPEC.format(name="busy", steps=400_000)).runs
    platform.wait_for_run(long_run.id, lambda run: run.step > 800, "its first checkpoints", 240.0)
    second, third = (client.submit(SPEC.format(name=name, steps=800)).runs[0].id for name in ("second", "third"))

    # The page says what runs, and why the others wait.
    page.goto("/queue")
    expect(page.get_by_role("list", name="Running jobs").get_by_role("link", name="busy")).to_be_visible(timeout=BOUND)
    expect(waiting(page)).to_have_count(2, timeout=BOUND)
    expect(waiting(page).nth(0)).to_contain_text("All devices that could take it are in use, and it is the next")
    expect(waiting(page).nth(1)).to_contain_text("ahead of it: local with 1 device")

    # Moving one to the front, another class, pausing and resuming.
    choose(page, "third", "Move to the front")
    expect(waiting(page).nth(0)).to_contain_text("third", timeout=BOUND)
    take_picture("queue")
    choose(page, "third", "Pause")
    resting = page.get_by_role("list", name="Jobs that wait for someone")
    expect(resting).to_contain_text("third", timeout=BOUND)
    expect(waiting(page)).to_have_count(1)
    assert client.run(third).status == "paused"
    choose(page, "third", "Resume")
    expect(waiting(page)).to_have_count(2, timeout=BOUND)

    # A trainer that is killed: the attempt history tells it, and the run goes on from its checkpoint.
    os.kill(platform.trainer_pid(), signal.SIGKILL)
    platform.wait_for_run(long_run.id, lambda run: run.attempt == 2, "its second attempt", 240.0)
    page.goto(f"/runs/{long_run.id}")
    page.get_by_role("tab", name="Attempts").click()
    attempts = page.get_by_role("list", name="Attempts, the newest first").get_by_role("listitem")
    expect(attempts).to_have_count(2, timeout=BOUND)
    expect(attempts.nth(1)).to_contain_text("Crashed")
    expect(attempts.nth(1)).to_contain_text("from the beginning")
    expect(attempts.nth(0)).to_contain_text("from checkpoint", timeout=BOUND)
    take_picture("attempts")
    page.get_by_role("button", name="Log of attempt 1").click()
    expect(page.get_by_text(re.compile("Attempt 1 on first, from the beginning; crashed"))).to_be_visible(timeout=BOUND)

    # Draining at once gives the job back; letting the worker back lets the queue go on.
    page.goto("/workers")
    page.get_by_role("button", name="Drain now: first").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Drain now").click()
    card = page.get_by_role("listitem", name="first")
    expect(card).to_contain_text("Draining", timeout=BOUND)
    platform.wait_for_run(long_run.id, lambda run: run.status == "queued", "being handed back", 240.0)
    expect(card).to_contain_text("free", timeout=BOUND)
    take_picture("workers")
    for run_id in (long_run.id, third):
        if not client.run(run_id).ended:  # the third may have had its turn while the first waited after its crash
            client.stop_run(run_id)
    page.get_by_role("button", name="Undrain: first").click()
    expect(card).not_to_contain_text("Draining", timeout=BOUND)
    platform.wait_until_ended(second, 300.0)

    # A finished run is extended, and goes on.
    page.goto(f"/runs/{second}")
    expect(page.get_by_test_id("run-status")).to_have_attribute("data-status", "finished", timeout=BOUND)
    page.get_by_role("button", name="Extend").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("now 800")).to_be_visible(timeout=BOUND)
    dialog.get_by_label("Steps per member").fill("700")
    expect(dialog.get_by_text("Steps per member can only grow.")).to_be_visible()
    dialog.get_by_label("Steps per member").fill("1600")
    take_picture("extend")
    dialog.get_by_role("button", name="Extend").click()
    expect(dialog).not_to_be_visible(timeout=BOUND)
    expect(page.get_by_label("Run", exact=True).get_by_text("of 1,600")).to_be_visible(timeout=BOUND)
    platform.wait_until_ended(second, 300.0)
    expect(page.get_by_test_id("run-status")).to_have_attribute("data-status", "finished", timeout=BOUND)
    assert [attempt.end for attempt in client.attempts(second)] == ["finished", "finished"]
