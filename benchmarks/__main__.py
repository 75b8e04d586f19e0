"""`make bench`: every benchmark that needs nothing but Phylon, each in a process of its own, with a JAX of its own.

`learning`, `tuning` and `runtime` compare with other libraries; their docstrings say what to install.
"""

import subprocess
import sys

BENCHMARKS = ("environments", "population", "replay", "placement", "procgen")

if __name__ == "__main__":
    for name in BENCHMARKS:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
