"""No container engine runs in the tests: each command, path and variable of the team set-up is checked in the code."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(TEXT)
SERVICES: dict[str, Any] = COMPOSE["services"]
APIS = [name for name in SERVICES if name.startswith("api-")]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}


def python_commands() -> list[tuple[str, list[str]]]:
    commands = [(name, service["command"]) for name, service in OURS.items()]
    checks = [(name, s["healthcheck"]["test"][1:]) for name, s in OURS.items() if "healthcheck" in s]
    return commands + checks


@pytest.mark.parametrize(("service", "command"), python_commands(), ids=lambda value: str(value)[:40])
def test_command_starts_a_module_that_exists(service: str, command: list[str]) -> None:
    assert command[:2] == ["python", "-m"], f"{service} starts {command}"
    assert importlib.util.find_spec(command[2]) is not None, f"{service} starts {command[2]}, which does not exist"


@pytest.mark.parametrize(("service", "command"), python_commands(), ids=lambda value: str(value)[:40])
def test_command_knows_its_options(service: str, command: list[str]) -> None:
    options = [word for word in command if word.startswith("--")]
    if options:
        shown = subprocess.run(
            [sys.executable, "-m", command[2], "--help"],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            timeout=120,
        )
        for option in options:
            assert option in shown.stdout, f"{service}: {command[2]} has no {option}"


def test_every_variable_is_read_by_the_code() -> None:
    sources = "\n".join(
        path.read_text() for package in ("phylon", "backend", "worker") for path in (ROOT / package).rglob("*.py")
    )
    for name, service in OURS.items():
        for variable in service["environment"]:
            assert variable in sources, f"{name} sets {variable}, which no code reads"


def test_every_substitution_is_in_the_example_and_every_secret_is_required() -> None:
    example = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if line and not line.startswith("#")
    )
    used = set(re.findall(r"\$\{(\w+)", TEXT))
    assert used == set(example)
    needed_once = "PHYLON_ENROLMENT_CODE"  # a worker that has enrolled needs none
    for secret in (name for name, value in example.items() if not value and name != needed_once):
        assert not re.search(rf"\$\{{{secret}(?!:\?)", TEXT), f"{secret} may be left empty"


def test_dependencies_can_be_waited_for() -> None:
    for name, service in SERVICES.items():
        for needed, how in service.get("depends_on", {}).items():
            assert needed in SERVICES, f"{name} waits for {needed}, which does not exist"
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[needed], f"{name} waits for the health of {needed}, which has no check"


def test_volumes_are_declared_and_hold_what_the_variables_name() -> None:
    for name, service in SERVICES.items():
        for source in (mount.split(":")[0] for mount in service.get("volumes", [])):
            is_file = source.startswith("./") and (ROOT / source).is_file()
            assert is_file or source in COMPOSE["volumes"], f"{name} mounts {source}, which is neither file nor volume"
    for name in ("worker-gpu", "worker-cpu"):
        mounted = {mount.split(":")[1] for mount in SERVICES[name]["volumes"]}
        environment = SERVICES[name]["environment"]
        kept = ("PHYLON_RUNS", "PHYLON_COMPILE_CACHE", "PHYLON_HOME")
        assert {environment[variable] for variable in kept} == mounted
    for name in APIS:
        assert SERVICES[name]["environment"]["PHYLON_ARTIFACTS"] == SERVICES[name]["volumes"][0].split(":")[1]


def test_only_the_proxy_is_published_beyond_loopback() -> None:
    """Redis too, but only where the operator says so."""
    assert [port for port in SERVICES["proxy"]["ports"] if not port.startswith("127.0.0.1:")] == ["80:80", "443:443"]
    for name, service in SERVICES.items():
        if name != "proxy":
            for port in service.get("ports", []):
                assert port.startswith("${REDIS_BIND:-127.0.0.1}:"), f"{name} publishes {port}"
    assert "network_mode" not in TEXT


def test_two_processes_serve_and_trust_the_proxys_network_alone() -> None:
    assert len(APIS) == 2
    subnet = COMPOSE["networks"]["default"]["ipam"]["config"][0]["subnet"]
    for name in APIS:
        environment = SERVICES[name]["environment"]
        assert environment["PHYLON_TRUSTED_PROXIES"] == subnet
        assert environment["PHYLON_PUBLIC_URL"].startswith("https://")
        assert environment["PHYLON_METRICS_TOKEN"]


def test_the_proxy_leads_to_what_exists() -> None:
    text = (ROOT / "Caddyfile").read_text()
    port = SERVICES["api-1"]["command"][-1]
    assert set(re.findall(r"(api-\d+):(\d+)", text)) == {(name, port) for name in APIS}
    assert set(re.findall(r"\{\$(\w+)\}", text)) == set(SERVICES["proxy"]["environment"])
    internal = SERVICES["worker-cpu"]["environment"]["PHYLON_API_URL"]
    assert internal == "http://proxy:8080" and "http://:8080 {" in text
    published = {line.split(":")[1] for line in SERVICES["proxy"]["ports"] if line.startswith("127.0.0.1:")}
    assert published == {"9101", "9102"} and all(f"http://:{port} {{" in text for port in published)
    assert text.count("respond /metrics 404") == 2, "the world reads the metrics"


@pytest.mark.parametrize("service", OURS)
def test_dockerfile_copies_what_exists(service: str) -> None:
    dockerfile = ROOT / OURS[service]["build"]["dockerfile"]
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile.read_text(), flags=re.MULTILINE)
    assert copies
    for source in " ".join(copies).split():
        assert (ROOT / source).exists(), f"{dockerfile} copies {source}, which does not exist"
    given = OURS[service]["build"].get("args", {})
    lists = re.findall(r"[\"']\.\[([$\w,]+)\][\"']", dockerfile.read_text())
    extras = Template(",".join(lists)).substitute(given).split(",")
    assert lists and all(f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text() for extra in extras)
    arguments = set(re.findall(r"^ARG (\w+)", dockerfile.read_text(), flags=re.MULTILINE))
    assert set(given) <= arguments
