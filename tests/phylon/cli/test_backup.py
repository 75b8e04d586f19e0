"""`phylon backup`, `restore` and `migrate` as a user types them, and `phylon up` before a database it cannot use."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from phylon.cli.local.home import open_home


@pytest.fixture
def home(shell, tmp_path: Path) -> Path:
    place = tmp_path / "home"
    assert shell("migrate", environment=settings(place)).returncode == 0
    return place


def settings(home: Path) -> dict[str, str]:
    return {"PHYLON_HOME": str(home), "PHYLON_DATABASE_URL": f"sqlite:///{home}/phylon.db"}


def set_schema(home: Path, revision: str) -> None:
    with contextlib.closing(sqlite3.connect(home / "phylon.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])


def test_there_and_back(shell, home: Path, tmp_path: Path):
    (home / "worker-token").write_text("secret\n")
    file, other = tmp_path / "all.tar", tmp_path / "other"
    written = shell("backup", str(file), environment=settings(home))
    assert written.returncode == 0, written.stderr
    assert f"{file}: 2 rows" in written.stdout
    restored = shell(
        "restore",
        str(file),
        "--home",
        str(other),
        environment={"PHYLON_DATABASE_URL": settings(other)["PHYLON_DATABASE_URL"]},
    )
    assert restored.returncode == 0, restored.stderr
    assert f"Restored {file}" in restored.stdout
    assert (other / "worker-token").read_text() == "secret\n"
    again = shell("backup", str(file), environment=settings(home))
    assert again.returncode == 1 and "is already there" in again.stderr


def test_nothing_is_restored_below_a_running_platform(shell, home: Path, tmp_path: Path):
    file = tmp_path / "all.tar"
    shell("backup", str(file), environment=settings(home))
    with open_home(home):
        refused = shell("restore", str(file), "--replace", environment=settings(home))
    assert refused.returncode == 1 and "another `phylon up` is already running" in refused.stderr


@pytest.mark.parametrize("command", [["migrate"], ["serve"], ["up", "--no-worker"]])
def test_a_newer_database_is_refused_without_a_traceback(shell, home: Path, command: list[str]):
    set_schema(home, "9999")
    refused = shell(*command, environment=settings(home))
    assert refused.returncode in (1, 2)
    assert "is at schema 9999" in refused.stderr and "Install that release again" in refused.stderr
    assert "Traceback" not in refused.stdout + refused.stderr
