"""`phylon play`: saved policies in fresh episodes, side by side."""

import secrets
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from phylon.cli.console import number, print_json, print_table, say
from phylon.cli.engine import ask_engine
from phylon.cli.evaluations import play_on_worker, with_interval
from phylon.cli.exits import BadInput
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.cli.own_environments import allow_here
from phylon.cli.policy import ENGINE, export
from phylon.policy.names import ARCHIVE, CARD_FILE
from phylon.run_directory import RUN_FILE


def play(
    policies: Annotated[
        list[str],
        typer.Argument(metavar="POLICY...", help="Folders of `phylon policy`, directories of runs, or runs' numbers."),
    ],
    episodes: Annotated[int, typer.Option(min=1, help="How many each policy plays.")] = 10,
    env: Annotated[
        str | None,
        typer.Option(
            "--env", metavar="ID", help="Another environment with the same spaces; SUITE:ID of another suite."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the episodes. Default: a fresh one, which is printed.")
    ] = None,
    sample: Annotated[
        bool | None,
        typer.Option("--sample/--mode", help="Draw actions, or take the likeliest. Default: as the run was evaluated."),
    ] = None,
    film: Annotated[
        Path | None, typer.Option("--film", metavar="FILE", help="Film the first episode as an .mp4; of one policy.")
    ] = None,
    on_worker: Annotated[
        bool, typer.Option("--on-worker", help="Let a worker of the service play; policies are runs' numbers.")
    ] = False,
    as_json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """Let policies play episodes that they never saw, and say what they earn.

    Several policies play the same episodes and stand in one table, each with its difference from the first.

    They play here, or with --on-worker in the queue of the service, where the result stays. Ctrl-C only ends the
    waiting then.

    Example: `phylon play walker runs/second 7 --episodes 100`
    """
    if film is not None and len(policies) > 1:
        raise BadInput("a film shows one policy; name one, or leave --film out")
    if on_worker:
        asked: dict[str, Any] = {"episodes": episodes, "env": env, "seed": seed, "sample": sample, "film": film}
        seed, rows = play_on_worker(policies, url, **asked)
    else:
        seed = secrets.randbelow(2**31) if seed is None else seed
        rows = _play_here(policies, url, episodes, env, seed, sample, film)
    rows = [row | {"source": source} for row, source in zip(rows, policies, strict=True)]
    if as_json:
        print_json({"seed": seed, "policies": rows})
        return
    numbers = ["return (95 %)", "smallest", "largest", "steps", *(["difference (95 %)"] if len(rows) > 1 else [])]
    columns = ["policy", "environment", "actions", *numbers]
    print_table(columns, [_row(row)[: len(columns)] for row in rows], right=numbers)
    say(f"{episodes} episodes each; --seed {seed} plays the same ones again")
    if film is not None:
        say(f"filmed: {escape(str(film))}")


def _play_here(
    policies: list[str],
    url: str | None,
    episodes: int,
    env: str | None,
    seed: int,
    sample: bool | None,
    film: Path | None,
) -> list[dict[str, Any]]:
    options: list[str | Path] = ["--episodes", str(episodes), "--seed", str(seed)]
    options += [] if env is None else ["--env", env]
    options += [] if sample is None else ["--sample" if sample else "--no-sample"]
    options += [] if film is None else ["--film", film.absolute()]
    with tempfile.TemporaryDirectory() as scratch:
        folders = [_find(source, Path(scratch) / str(place), url) for place, source in enumerate(policies)]
        allow_here([*([env] if env else []), *(_environment_of(folder) for folder in folders)])
        return ask_engine(ENGINE, "play", *folders, *options)


def _find(source: str, scratch: Path, url: str | None) -> Path:
    """Where the policy lies; that of a run on the service, or of a checkpoint, is brought to `scratch`."""
    path = Path(source)
    if source.isdecimal() or ((path / RUN_FILE).exists() and not (path / ARCHIVE).exists()):
        export(source, scratch, url=url)
        return scratch
    if not path.exists() or (path.is_dir() and not any((path / name).exists() for name in (CARD_FILE, ARCHIVE))):
        raise BadInput(
            f"'{source}' holds no policy; name a folder of `phylon policy`, the directory of a run, or a run's number"
        )
    return path


def _environment_of(folder: Path) -> str:
    from phylon.policy.folder import PolicyInvalid, read_card  # here, because it loads numpy

    try:
        return str(read_card(folder)["environment"]["id"])
    except (PolicyInvalid, KeyError) as error:
        raise BadInput(str(error)) from None


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    compared = row["difference"]
    return (
        row["source"],
        row["environment"],
        "mode" if row["deterministic"] else "drawn",
        with_interval(row["mean"], row["high"]),
        number(row["smallest"]),
        number(row["largest"]),
        number(row["length"]),
        "-" if compared is None else with_interval(compared["mean"], compared["high"]),
    )
