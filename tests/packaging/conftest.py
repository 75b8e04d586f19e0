"""Builds wheels and installs them into virtual environments that hold nothing else of ours.

Third-party packages are seen through a .pth file: installing two gigabytes again would test pip, not Phylon.
`test_dependencies` checks that what we import is declared.
"""

import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BOUND_SECONDS = 120.0
"""Only ends a test that hangs."""


def call(*command: str | Path, **options: object) -> str:
    """Its output; a failure shows what it wrote."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_SECONDS, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def build_wheel(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """By way of an sdist, so that nothing an earlier build left in the source folder can get in."""

    def build(source: Path) -> Path:
        folder = tmp_path_factory.mktemp("wheel")
        call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source)
        (wheel,) = folder.glob("*.whl")
        return wheel

    return build


@pytest.fixture(scope="session")
def install(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The folder of a new environment that holds the wheel."""

    def into_a_new_environment(wheel: Path) -> Path:
        folder = tmp_path_factory.mktemp("environment")
        venv.create(folder, with_pip=False, symlinks=True)
        python = folder / "bin" / "python"
        call(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
        others = [path for path in sys.path if Path(path).name == "site-packages"]
        (site_packages(folder) / "third-party.pth").write_text("\n".join(others))
        return folder

    return into_a_new_environment


def site_packages(environment: Path) -> Path:
    (folder,) = environment.glob("lib/python*/site-packages")
    return folder
