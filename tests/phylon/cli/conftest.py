"""`phylon` as a user types it, in this process (quick) or in its own (real exit codes, signals and pipes)."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from phylon.cli.app import app

Command = Callable[..., Result]
Shell = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def phylon(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Without a service at the default address: a test that needs one names its own."""
    monkeypatch.setenv("PHYLON_API_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str, input: str | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=input)

    return run


@pytest.fixture
def shell() -> Shell:
    def run(*arguments: str, environment: Mapping[str, str] | None = None, **options: Any) -> Any:
        return subprocess.run(
            [sys.executable, "-m", "phylon", *arguments],
            env=dict(os.environ) | {"PHYLON_API_URL": "http://127.0.0.1:9"} | dict(environment or {}),
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )

    return run
