"""Run by its path: ties the process to its parent, then becomes the command that it was given.

    python tied.py PARENT_PID COMMAND…

The kernel sends SIGTERM when the parent dies, even by SIGKILL (Linux; elsewhere nothing is tied). Doing this between
fork and exec of the parent would need a true fork, which no program with threads should make.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: str, *command: str) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(parent):  # it died before the kernel knew
            sys.exit(1)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
