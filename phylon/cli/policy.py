"""`phylon policy`: the policy of one member, as a folder that acts without the platform."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from phylon.cli.console import number, say, size
from phylon.cli.engine import ask_engine
from phylon.cli.exits import BadInput, WorkFailed
from phylon.cli.experiments import UrlOption
from phylon.cli.own_environments import allow_here
from phylon.client import Client
from phylon.contract.artifacts import Artifact
from phylon.contract.events import FinalReturn
from phylon.contract.lineage import RunLineage
from phylon.policy.names import ARCHIVE, CARD_FILE, ONNX_FILE, STABLEHLO_FILE, WEIGHTS_FILE
from phylon.run_directory import RunRequest, install_checkpoint, read_run, write_run
from phylon.series import Series

if TYPE_CHECKING:
    from collections.abc import Mapping

ENGINE = "phylon.worker.policies"
RUN = "Number of a run on the service, or a directory that `phylon train` wrote."
FINAL, FINAL_OF_MEAN = "final/return", "population/final_mean_policy_return"
MOMENTS = ("", "_stderr", "_low", "_high")


def policy(
    run: Annotated[str, typer.Argument(metavar="RUN", help=RUN)],
    out_: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder that the policy is written to.")],
    member: Annotated[
        str,
        typer.Option(metavar="best|N|mean", help="The best by fitness, a number, or the mean of CEM-RL's search."),
    ] = "best",
    step: Annotated[
        int | None, typer.Option(metavar="S", help="Of the checkpoint of this step. Default: the end, or the newest.")
    ] = None,
    onnx: Annotated[bool, typer.Option("--onnx", help="Also write policy.onnx, for ONNX runtimes.")] = False,
    stablehlo: Annotated[
        bool, typer.Option("--stablehlo", help="Also write policy.stablehlo, for JAX on CPU and CUDA.")
    ] = False,
    url: UrlOption = None,
) -> None:
    """Take a member's policy out of a run: weights, a card that says everything about it, and no code.

    `phylon.Policy.load(DIR)` acts with it, with NumPy alone. The winner of a run that has finished is there already;
    others are made of a checkpoint, which needs the engine.

    Example: `phylon policy runs/first --out walker --onnx`
    """
    from phylon.policy import Policy  # here, because it loads numpy, which other commands need not wait for

    _require_empty(out_)
    export(run, out_, member, step, url)
    if onnx:
        _write_onnx(Policy.load(out_), out_)
    if stablehlo:
        ask_engine(ENGINE, "stablehlo", out_)
    _report(out_)


def export(run: str, folder: Path, member: str = "best", step: int | None = None, url: str | None = None) -> None:
    """The policy of a run, wherever that lies, written to `folder`."""
    is_winner = member == "best" and step is None
    if run.isdecimal():
        with Client(url) as client:
            _of_service(client, int(run), folder, member, step, is_winner)
    else:
        _of_folder(Path(run), folder, member, step, is_winner)


def _of_folder(run_dir: Path, folder: Path, member: str, step: int | None, is_winner: bool) -> None:
    from phylon.cli.findings import of_folder

    found = of_folder(run_dir)  # refuses what is no run
    if is_winner and (run_dir / ARCHIVE).exists():
        shutil.unpack_archive(run_dir / ARCHIVE, folder)
        return
    _make(run_dir, folder, member, step)
    _complete(folder, found.lineage, dict(found.series()))


def _of_service(client: Client, run_id: int, folder: Path, member: str, step: int | None, is_winner: bool) -> None:
    stored = client.artifacts(run_id)
    with tempfile.TemporaryDirectory() as scratch:
        winner = next((each for each in stored if each.kind == "policy"), None)
        if is_winner and winner is not None:
            shutil.unpack_archive(client.download(winner, scratch), folder)
            return
        checkpoints = [each for each in stored if each.kind == "checkpoint"]
        chosen = [each for each in checkpoints if step is None or each.step == step]
        if not chosen:
            there = ", ".join(str(each.step) for each in checkpoints) or "none"
            raise BadInput(f"run {run_id} has no such checkpoint on the service; there are those of the steps: {there}")
        run, run_dir = client.run(run_id), Path(scratch) / "run"
        spec = client.experiment(run.experiment_id).spec
        write_run(run_dir, RunRequest(run_id=run_id, seed=run.seed, spec=spec))
        newest = max(chosen, key=lambda each: each.step)
        blocks = [each for each in stored if each.kind == "block" and each.step == newest.step]
        fetched = [(client.download(each, scratch), each.sha256) for each in sorted(blocks, key=_rank)]
        install_checkpoint(run_dir, client.download(newest, scratch), 0, newest.sha256, newest.name, fetched)
        _make(run_dir, folder, member, step)
    names = [f"{base}{moment}" for base in (FINAL, FINAL_OF_MEAN) for moment in MOMENTS]
    _complete(folder, client.lineage(run_id), client.metrics(run_id, names))


def _rank(block: Artifact) -> int:
    """`000040.1.npz` holds the members of process 1."""
    return int(block.name.split(".")[1])


def _make(run_dir: Path, folder: Path, member: str, step: int | None) -> None:
    wanted = () if step is None else ("--step", str(step))
    allow_here([str(read_run(run_dir).spec["environment"]["id"])])
    made = ask_engine(ENGINE, "make", run_dir, folder, "--member", member, *wanted)
    say(
        f"of step {made['step']:,}; on random observations its actions are the trainer's, within "
        f"{made['largest_difference']:.1e}"
    )


def _complete(folder: Path, lineage: RunLineage, series: "Mapping[str, Series]") -> None:
    """What the history says of the member goes into the card."""
    from phylon.policy.folder import card_bytes, read_card, write_folder
    from phylon.policy.making import complete

    card = read_card(folder)
    complete(card["provenance"], lineage, _final(card, series))
    write_folder(folder, {CARD_FILE: card_bytes(card)})


def _final(card: "dict[str, Any]", series: "Mapping[str, Series]") -> FinalReturn | None:
    """Every member plays the final episodes, so each has its own final return: at the step where the run ended."""
    provenance, episodes = card["provenance"], card["spec"]["evaluation"]["final"]
    member, base = provenance["member"], FINAL if provenance["member"] is not None else FINAL_OF_MEAN
    columns = [series.get(f"{base}{moment}") for moment in MOMENTS]
    if any(column is None or not len(column.steps) for column in columns):
        return None
    mean, stderr, low, high = (column for column in columns if column is not None)
    if int(mean.steps[-1]) != provenance["step"]:
        return None
    values = [float(column.values[-1, member or 0]) for column in (mean, stderr, low, high)]
    last = float(provenance["evaluation"]["mean"]) if provenance["evaluation"] else values[0]
    return FinalReturn(
        member=member or 0,
        span=provenance["span"] or 0,
        mean=values[0],
        stderr=values[1],
        low=values[2],
        high=values[3],
        episodes=episodes,
        last_return=last,
        selection_bias=last - values[0],
        unseen_levels=False,
    )


def _write_onnx(policy: Any, folder: Path) -> None:
    from phylon.policy.folder import write_folder
    from phylon.policy.onnx_format import OnnxMissing, to_onnx

    try:
        write_folder(folder, {ONNX_FILE: to_onnx(policy)})
    except OnnxMissing as error:
        raise WorkFailed(str(error)) from None


def _require_empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"'{folder}' is there already and not empty; choose another folder with --out")


def _report(folder: Path) -> None:
    card = json.loads((folder / CARD_FILE).read_bytes())
    provenance = card["provenance"]
    who = "the mean of the search" if provenance["member"] is None else f"member {provenance['member']}"
    say(f"[bold]{escape(card['name'])}[/]: {who} at step {provenance['step']:,}, for {card['environment']['id']}")
    final = provenance["final"]
    if final is not None:
        say(
            f"final return {number(final['mean'])} (95 % interval {number(final['low'])} to {number(final['high'])}, "
            f"{final['episodes']} unseen episodes)"
        )
    names = [WEIGHTS_FILE, CARD_FILE, ONNX_FILE, STABLEHLO_FILE]
    files = [f"{name} ({size((folder / name).stat().st_size)})" for name in names if (folder / name).exists()]
    say(escape(f"{folder}/: {', '.join(files)}"))
