"""Evaluations on the service's workers: `phylon play --on-worker` asks for one, `phylon evaluations` lists them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from phylon.cli.console import number, print_json, print_table
from phylon.cli.exits import BadInput, WorkFailed
from phylon.cli.experiments import UrlOption
from phylon.cli.following import follow
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.evaluations import EvaluatedPolicy, EvaluationSummary


def play_on_worker(
    sources: list[str],
    url: str | None,
    *,
    episodes: int,
    env: str | None,
    seed: int | None,
    sample: bool | None,
    film: Path | None,
) -> tuple[int, list[dict[str, Any]]]:
    """The seed, and a row for each policy, as the engine here would have answered."""
    runs = [int(source) for source in sources if source.isdecimal()]
    if len(runs) < len(sources):
        local = next(source for source in sources if not source.isdecimal())
        raise BadInput(f"'{local}' is on this machine; --on-worker plays policies of the service's runs, by number")
    with Client(url) as client:
        asked = client.evaluate(
            runs, episodes=episodes, seed=seed, environment=env, sample=sample, films=0 if film is None else 1
        )
        found = follow(client, asked, client.evaluation, "evaluation", lambda now: (now.done, now.total))
        if film is not None:
            _fetch_film(client, found.policies[0], film)
    return found.seed, [_row(policy) for policy in found.policies]


def _fetch_film(client: Client, policy: EvaluatedPolicy, film: Path) -> None:
    if not policy.films:
        raise WorkFailed(f"there is no film: {policy.film_problem}; play without --film")
    film.parent.mkdir(parents=True, exist_ok=True)
    client.download(policy.films[0], film.parent).replace(film)


def _row(policy: EvaluatedPolicy) -> dict[str, Any]:
    assert policy.loaded is not None and policy.summary is not None  # it has finished
    return {
        "name": policy.name,
        "environment": policy.loaded.environment.partition(":")[2],
        "deterministic": policy.loaded.deterministic,
        **policy.summary.model_dump(),
        "difference": None if policy.difference is None else policy.difference.model_dump(),
    }


def evaluations(
    run: Annotated[int | None, typer.Option(help="Only those that play a policy of this run.")] = None,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the evaluations of saved policies on the service: how far each is, and what it came to.

    Example: `phylon evaluations --run 7`
    """
    with Client(url) as client:
        found = client.evaluations(run)
    if json:
        print_json([each.model_dump(mode="json") for each in found])
        return
    rows = [_line(each, policy) for each in found for policy in each.policies]
    columns = ["id", "policy", "status", "environment", "episodes", "return (95 %)", "worker"]
    print_table(columns, rows, right=["id", "episodes", "return (95 %)"])


def _line(evaluation: EvaluationSummary, policy: EvaluatedPolicy) -> list[str]:
    run = "" if policy.run_id is None else f" (run {policy.run_id})"
    summary = policy.summary
    return [
        str(evaluation.id),
        f"{policy.name}{run}",
        evaluation.status,
        policy.loaded.environment if policy.loaded else evaluation.environment or "-",
        f"{0 if summary is None else summary.episodes}/{evaluation.episodes}",
        "-" if summary is None else with_interval(summary.mean, summary.high),
        evaluation.worker_name or "-",
    ]


def with_interval(mean: float, high: float | None) -> str:
    return number(mean) if high is None else f"{number(mean)} ± {number(high - mean)}"
