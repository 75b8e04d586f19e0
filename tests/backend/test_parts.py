"""A run goes only to workers that have its suite, its algorithm and its method."""

from typing import Any

import pytest

LACKING: list[tuple[dict[str, Any], str]] = [
    ({"suites": ["probe"]}, "the suite 'gymnasium'"),
    ({"algorithms": ["sac"], "methods": ["pbt"]}, "the algorithm 'td3'"),
    ({"algorithms": ["td3"], "methods": ["cem_rl"]}, "the population method 'pbt'"),
]


@pytest.mark.parametrize(("changes", "words"), LACKING)
def test_a_worker_that_lacks_something_is_refused(make_worker, run_id, changes, words):
    answer = make_worker("bare", **changes).claim(run_id)
    assert answer.status_code == 409
    assert words in answer.json()["detail"]
    assert "install" in answer.json()["remedy"].lower()


@pytest.mark.parametrize(("changes", "words"), LACKING)
def test_the_scheduler_passes_it_over(scheduler, messages, make_worker, submit, changes, words):
    submit()
    make_worker("bare", **changes)
    scheduler.tick()
    assert messages() == []
    make_worker("full", algorithms=["td3"], methods=["pbt"])
    scheduler.tick()
    assert len(messages()) == 1
