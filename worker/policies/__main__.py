"""What `phylon policy` and `phylon play` need the engine for. The answer is JSON on standard output.

python -m phylon.worker.policies make RUN_DIR FOLDER [--member best] [--step S]
python -m phylon.worker.policies stablehlo FOLDER
python -m phylon.worker.policies play FOLDER... --episodes N --seed S [--env ID] [--sample|--mode] [--film FILE]
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from phylon.policy import PolicyInvalid
from phylon.worker.core.errors import EngineError
from phylon.worker.training.process import compile_cache

REFUSED = 2


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compile_cache()))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    try:
        answer = {"make": _make, "stablehlo": _stablehlo, "play": _play}[options.command](options)
    except (EngineError, PolicyInvalid) as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(json.dumps(answer))
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.policies")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("run_dir", type=Path)
    make.add_argument("folder", type=Path)
    make.add_argument("--member", default="best")
    make.add_argument("--step", type=int)
    stablehlo = commands.add_parser("stablehlo")
    stablehlo.add_argument("folder", type=Path)
    play = commands.add_parser("play")
    play.add_argument("sources", nargs="+")
    play.add_argument("--episodes", type=int, required=True)
    play.add_argument("--seed", type=int, required=True)
    play.add_argument("--env")
    play.add_argument("--sample", action=argparse.BooleanOptionalAction, default=None)
    play.add_argument("--film", type=Path)
    return parser.parse_args(arguments)


# JAX is imported where it is needed: it reads its environment variables then.


def _make(options: argparse.Namespace) -> Any:
    from phylon.worker.policies.from_checkpoint import make

    return make(options.run_dir, options.member, options.step, options.folder)._asdict()


def _stablehlo(options: argparse.Namespace) -> Any:
    from phylon.policy import Policy
    from phylon.policy.folder import write_folder
    from phylon.policy.names import STABLEHLO_FILE
    from phylon.worker.policies.stablehlo import to_stablehlo

    content = to_stablehlo(Policy.load(options.folder))
    write_folder(options.folder, {STABLEHLO_FILE: content})
    return {"bytes": len(content)}


def _play(options: argparse.Namespace) -> Any:
    from phylon.policy import Policy
    from phylon.statistics.episodes import difference
    from phylon.worker.policies.playing import film, find_task, play

    policies = [(source, Policy.load(source)) for source in options.sources]
    tasks = [find_task(policy, source, options.env, options.sample) for source, policy in policies]
    played = [
        play(policy, task, options.episodes, options.seed) for (_, policy), task in zip(policies, tasks, strict=True)
    ]
    rows: list[dict[str, Any]] = []
    for (source, policy), task, found in zip(policies, tasks, played, strict=True):
        how = {"environment": task.environment.id, "deterministic": task.deterministic}
        plays_the_same = task.environment.id == tasks[0].environment.id and task is not tasks[0]
        compared = difference(found.returns.tolist(), played[0].returns.tolist()) if plays_the_same else None
        beside = {"difference": None if compared is None else compared._asdict()}
        rows.append({"source": source, "name": policy.card["name"], **how, **found.summary(), **beside})
    if options.film is not None:
        film(policies[0][1], tasks[0], options.seed, options.film)
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
