"""`make bench`: run every benchmark, each in a process of its own, so that none inherits another's JAX."""

import subprocess
import sys

BENCHMARKS = ("strategies", "environments", "population", "replay", "procgen")

if __name__ == "__main__":
    for name in BENCHMARKS:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
