"""`python -m phylon.worker.supervisor.health`: exit code 0 while the service hears this machine's worker."""

import argparse
import sys
import time

from phylon.worker.supervisor.device import describe_worker
from phylon.worker.supervisor.liveness import alive_file

STALE_SECONDS = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m phylon.worker.supervisor.health", description=__doc__)
    parser.add_argument("--name", help="the worker's name, when it was started with one")
    path = alive_file(parser.parse_args().name or describe_worker(None, None).name)
    try:
        age = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        print(f"{path} does not exist: no such worker was heard by the service yet", file=sys.stderr)
        return 1
    if age > STALE_SECONDS:
        print(f"the service last heard this worker {age:.0f} s ago", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
