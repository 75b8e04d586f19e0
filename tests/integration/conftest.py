"""What every integration test needs to make and to read small runs."""

import pytest

from tests import small_runs


@pytest.fixture(scope="session")
def make_spec():
    return small_runs.make_spec


@pytest.fixture(scope="session")
def read_history():
    return lambda platform, run_id: small_runs.read_history(platform.client, run_id)
