"""All checks of one environment, and what to write in a spec."""

from collections.abc import Callable, Iterator
from typing import Any

from phylon.catalogue import EnvironmentEntry, find
from phylon.contract.environment_checks import EnvironmentFinding, EnvironmentReport
from phylon.registry import algorithms, suites
from phylon.spec.algorithms.observations import candidate_networks
from phylon.spec.environment import EnvironmentSpec
from phylon.worker.core.errors import EngineError
from phylon.worker.environments import find_entry, make_environments, make_renderer
from phylon.worker.environments.checking.costs import check_costs
from phylon.worker.environments.checking.episodes import check_ends, check_seeds
from phylon.worker.environments.checking.finding import Finding
from phylon.worker.environments.checking.returns import check_returns

LONGEST = 2000


def check(environment: EnvironmentSpec) -> EnvironmentReport:
    """Raises `EngineError` where it cannot even be made."""
    entry = find_entry(environment.suite, environment.id, environment.options)
    findings = [*_check_spaces(entry)]
    if not any(finding.verdict == "wrong" for finding in findings):
        for subject, part in (
            ("what it returns", _check_returns),
            ("episodes", _check_episodes),
            ("costs", check_costs),
            ("rendering", _check_rendering),
        ):
            findings += _try(subject, part, environment)
    return EnvironmentReport(
        suite=environment.suite,
        id=environment.id,
        observation=entry.observation.describe(),
        action=entry.action.describe(),
        max_episode_steps=entry.max_episode_steps,
        findings=[_report(finding) for finding in findings],
        algorithms=_algorithms_for(entry),
        environment=_section(environment, entry),
    )


def _report(finding: Finding) -> EnvironmentFinding:
    """What someone's own code says may be long, and hold what a database cannot keep."""
    words = {name: value.replace("\0", "")[:LONGEST] for name, value in finding._asdict().items()}
    return EnvironmentFinding.model_validate(words)


def _try(
    subject: str, part: Callable[[EnvironmentSpec], Iterator[Finding]], environment: EnvironmentSpec
) -> Iterator[Finding]:
    try:
        yield from part(environment)
    except EngineError as error:
        yield Finding(subject, "wrong", error.message, error.remedy)
    except Exception as error:  # it is someone's own code
        yield Finding(subject, "wrong", f"it raised {type(error).__name__}: {error}", "correct it, and check it again")


def _check_spaces(entry: EnvironmentEntry) -> Iterator[Finding]:
    fixed = "Box, Discrete, MultiDiscrete, MultiBinary"
    if entry.observation.kind == "other":
        message = f"its observations are {entry.observation.describe()}"
        yield Finding("spaces", "wrong", message, f"use {fixed}, and Dict or Tuple of them")
    if entry.action.kind == "other":
        message = f"its actions are {entry.action.describe()}"
        yield Finding("spaces", "wrong", message, f"use {fixed}; a Box needs bounds and floats")
    if "other" not in (entry.observation.kind, entry.action.kind):
        yield Finding("spaces", "ok", f"it shows {entry.observation.describe()} and takes {entry.action.describe()}")
    if entry.observation.has_images:
        message = "images beside other parts are kept as numbers of four bytes, not as bytes"
        yield Finding("spaces", "slow", message, "make them small, or show nothing else")


def _check_returns(environment: EnvironmentSpec) -> Iterator[Finding]:
    """Of environments that are objects; those of a library's own pools promise nothing else than they give."""
    if not suites()[environment.suite].has_stepping:
        return
    from phylon.worker.environments.gymnasium_suite import open_environment

    opened = open_environment(environment.id, options=environment.options)
    try:
        yield from check_returns(opened)
    finally:
        opened.close()


def _check_episodes(environment: EnvironmentSpec) -> Iterator[Finding]:
    pool = make_environments(environment.model_copy(update={"stepping": "inline"}), 2)
    try:
        yield from check_seeds(pool)
        yield from check_ends(pool)
    finally:
        pool.close()


def _check_rendering(environment: EnvironmentSpec) -> Iterator[Finding]:
    renderer = make_renderer(environment)
    if renderer is None:
        yield Finding(
            "rendering",
            "ok",
            "it cannot be drawn here, so there will be no videos",
            'to film it, put "rgb_array" into metadata["render_modes"], and return [height, width, 3] from render',
        )
        return
    try:
        shape = renderer.frame().shape
        yield Finding("rendering", "ok", f"frames of {shape[1]} x {shape[0]}, {renderer.frames_per_second} per second")
    finally:
        renderer.environments.close()


def _algorithms_for(entry: EnvironmentEntry) -> list[str]:
    """Those that can learn here, with some network."""
    found: list[str] = []
    for name, description in algorithms().items():
        if entry.action.kind not in description.actions or description.home is not None:
            continue
        for network in candidate_networks({}, entry.observation):
            try:
                spec = description.spec.model_validate({"name": name, **({"network": network} if network else {})})
            except ValueError:
                continue
            if description.observes(spec, entry.observation) is None:
                found.append(name)
                break
    return found


def _section(environment: EnvironmentSpec, entry: EnvironmentEntry) -> dict[str, Any]:
    """What a spec's `environment` says; spaces only where the catalogue does not know them."""
    known = find(environment.suite, environment.id)
    section: dict[str, Any] = {"suite": environment.suite, "id": environment.id}
    if environment.options:
        section["options"] = dict(environment.options)
    if known is None or (known.observation, known.action) != (entry.observation, entry.action):
        section["spaces"] = entry.model_dump(mode="json", include={"observation", "action", "max_episode_steps"})
    return section
