"""`python -m phylon.worker.studies FOLDER` runs the study that FOLDER/spec.json describes. Its launcher holds stdin.

Progress is reported on standard output, one JSON object per line: `done`, `total`, `text`. Exit codes: 0 all cells are
recorded, 2 refused (stderr says why), 76 the launcher is gone; all others mean a crash, after which it can go on.
"""

import argparse
import json
import sys
import threading
from pathlib import Path

from phylon.spec import SpecInvalid
from phylon.worker.studies.conductor import run
from phylon.worker.studies.folder import FolderRefused, exit_when_alone, locked, open_study, read_spec
from phylon.worker.studies.machine import this_machine

REFUSED = 2


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.studies", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder that holds spec.json")
    folder: Path = parser.parse_args(arguments).folder
    threading.Thread(target=exit_when_alone, args=(sys.stdin.fileno(),), daemon=True).start()
    try:
        spec = read_spec(folder)
        with locked(folder):
            machine = this_machine()
            open_study(folder, spec, machine)
            run(spec, machine, folder, _report)
    except (FolderRefused, SpecInvalid) as error:
        print(error, file=sys.stderr)
        return REFUSED
    return 0


def _report(done: int, total: int, text: str) -> None:
    print(json.dumps({"done": done, "total": total, "text": text}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
