"""A small valid spec as plain data, to be broken in one place at a time."""

from typing import Any

import pytest


@pytest.fixture
def raw() -> dict[str, Any]:
    return {
        "version": 2,
        "name": "sample",
        "kind": "training",
        "environment": {"suite": "gymnasium", "id": "Pendulum-v1"},
        "algorithm": {"name": "td3", "discount": {"uniform": [0.9, 0.99]}},
        "population": {"size": 4, "method": {"name": "pbt", "interval": 2000}},
        "replay": {"warmup": 1000},
        "budget": {"env_steps": 10000},
        "evaluation": {"interval": 1000},
    }
