"""`driver PLACE EXCHANGE RUN_DIR...`: one process of a gang that trains one run after another.

Joining and loading JAX is most of what a small run costs. `PLACE` is where the processes meet. They say first what they
heard from each other, in both ways.
"""

import os
import sys
import traceback
from pathlib import Path
from typing import Any

from phylon.launch import own_launch
from phylon.run_directory import read_run
from phylon.spec import parse_spec
from phylon.worker.core.commands import CRASHED, Commands
from phylon.worker.gang import meeting


class NoCommands(Commands):
    def __init__(self) -> None:
        self.wanted = None


def main(place: Path, exchange: Any, *run_dirs: Path) -> None:
    from phylon.worker.gang.gang import Move, collect
    from phylon.worker.gang.joining import join
    from phylon.worker.training.session import train

    launch = own_launch(os.environ)
    assert launch
    found = meeting.call(place, launch) if launch.is_first else meeting.find(place, launch)
    gang = join(launch, found, exchange, {})
    around = [Move(rank, rank, (rank + 1) % gang.size) for rank in range(gang.size)]
    came = gang.exchange(around, lambda slot: bytes([slot]) * 5000)
    heard = {slot: row == bytes([slot]) * 5000 for slot, row in came.items()}
    print("heard", collect(gang, launch.rank), heard, flush=True)
    for run_dir in run_dirs:
        request = read_run(run_dir)
        outcome = train(run_dir, parse_spec(request.spec), request.seed, NoCommands(), place / "strategies", gang)
        assert outcome == "finished", run_dir
    gang.leave()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2], *map(Path, sys.argv[3:]))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(CRASHED)
