"""Every operation of the API, asked by changing roles with what schemathesis makes up; `make chaos` asks far more."""

import os

import pytest

from tests.chaos.cases import walk
from tests.chaos.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

CASES_EACH = 3
START = int(os.environ.get("CHAOS_SEED", "1"))


def test_no_request_breaks_the_service_or_shows_what_is_not_ones_own(tmp_path):
    world = World(tmp_path)
    try:
        result = walk(world, CASES_EACH, START)
        print(f"{result.statuses.total()} requests of {result.operations} operations: {dict(result.statuses)}")
        assert result.findings == []
        assert result.statuses.total() == CASES_EACH * result.operations > 300
        assert {200, 401, 403, 404, 422} <= result.statuses.keys(), "the requests do not get far"
        assert world.api.is_alive
    finally:
        world.close()
