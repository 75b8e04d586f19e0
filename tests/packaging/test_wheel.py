"""The built wheel is the whole product: installed into an empty environment, it serves its UI and trains."""

import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from .conftest import BOUND_SECONDS, ROOT, call, site_packages

SMOKE = "td3-pbt-pendulum-smoke"
TRAINING_SECONDS = 300.0
"""Only ends a test that hangs."""


@pytest.fixture(scope="module")
def environment(build_wheel: Callable[[Path], Path], install: Callable[[Path], Path]) -> Path:
    assert (ROOT / "frontend/dist/index.html").exists(), "the web UI is not built; run `make ui`"
    return install(build_wheel(ROOT))


def test_no_name_but_ours_is_installed(environment: Path) -> None:
    names = {path.name for path in site_packages(environment).iterdir()}
    (metadata,) = site_packages(environment).glob("phylon-*.dist-info")
    assert names == {"phylon", metadata.name, "third-party.pth"}


def test_everything_that_is_not_python_is_there_too(environment: Path) -> None:
    installed = site_packages(environment) / "phylon"
    sources = {
        "presets": ROOT / "phylon/presets",
        "catalogue": ROOT / "phylon/catalogue",
        "migrations": ROOT / "migrations",
        "web": ROOT / "frontend/dist",
    }
    for name, source in sources.items():
        files = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
        assert files, f"{source} is empty"
        assert {file for file in files if not (installed / name / file).exists()} == set(), name


@pytest.fixture
def started(environment: Path, compile_cache: Path, tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """`phylon up` of the installed package, in another folder: its address, and its variables for other commands."""
    ours = ("PHYLON_", "PYTHON", "XLA_FLAGS", "JAX_")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    variables["PHYLON_COMPILE_CACHE"] = str(compile_cache)
    with (
        (tmp_path / "errors.txt").open("w") as errors,
        subprocess.Popen(
            [environment / "bin/phylon", "up", "--home", tmp_path / "home"],
            env=variables,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as up,
    ):
        try:
            assert up.stdout
            line = up.stdout.readline()  # it comes up within a minute or ends by itself
            match = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert match, line + (tmp_path / "errors.txt").read_text()
            yield match.group(0), variables | {"PHYLON_API_URL": match.group(0)}
            up.send_signal(signal.SIGTERM)
            assert up.wait(BOUND_SECONDS) == 0, (tmp_path / "errors.txt").read_text()
        finally:
            up.kill()


@pytest.mark.slow
def test_the_installed_platform_shows_its_ui_and_trains(
    environment: Path, started: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    url, variables = started
    page = httpx.get(url)
    assert page.status_code == 200 and "<title>Phylon" in page.text
    assets = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    assert {Path(asset).suffix for asset in assets} >= {".js", ".css"}
    for asset in assets:
        answer = httpx.get(url + asset)
        assert answer.status_code == 200 and answer.content, asset

    def phylon(*arguments: str) -> str:
        done = subprocess.run(
            [environment / "bin/phylon", *arguments],
            env=variables,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=TRAINING_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    phylon("submit", SMOKE)
    assert "finished; final return" in phylon("watch", "1")


@pytest.mark.parametrize(
    ("image", "holds", "lacks", "starts"),
    [
        ("backend", {"backend", "migrations", "web"}, {"worker"}, "phylon.backend.serve"),
        ("worker", {"worker"}, {"backend", "migrations", "web"}, "phylon.worker.supervisor"),
    ],
)
def test_an_image_installs_from_what_its_dockerfile_copies(
    image: str,
    holds: set[str],
    lacks: set[str],
    starts: str,
    build_wheel: Callable[[Path], Path],
    install: Callable[[Path], Path],
    tmp_path: Path,
) -> None:
    """Links in phylon/ that lead to folders which are not copied must not break the build."""
    last_stage = (ROOT / image / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    for sources, target in re.findall(r"^COPY (?!--from)(.+) (\S+)$", last_stage, flags=re.MULTILINE):
        for source in sources.split():
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, tmp_path / target, symlinks=True)
            else:
                shutil.copy(ROOT / source, tmp_path / target)
    for target in re.findall(r"^COPY --from=ui \S+ (\S+)$", last_stage, flags=re.MULTILINE):
        shutil.copytree(ROOT / "frontend/dist", tmp_path / target)
    wheel = build_wheel(tmp_path)
    folders = {name.split("/")[1] for name in zipfile.ZipFile(wheel).namelist() if name.count("/") > 1}
    assert folders >= holds and not folders & lacks
    environment = install(wheel)
    call(environment / "bin/python", "-c", f"import {starts}", cwd=tmp_path.parent)


def test_the_front_page_of_a_checkout_is_the_built_one() -> None:
    code = "from phylon.backend.settings import Settings; print(Settings.frontend.resolve())"
    assert Path(call(sys.executable, "-c", code, cwd="/").strip()) == (ROOT / "frontend/dist").resolve()
