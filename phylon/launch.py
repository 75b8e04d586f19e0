"""How this process was launched: alone, or as one of several that train a population together.

    mpiexec -n 4 phylon train SPEC          Open MPI says rank and size in its own variables
    srun phylon train SPEC                  so does Slurm, within a step
    PHYLON_HOSTS=2 PHYLON_RANK=0 PHYLON_LAUNCH=a phylon train SPEC      anything else does

Only the command looks for Open MPI and Slurm: a trainer is given our own variables. It may have inherited the others
from a worker that somebody started in a cluster's job, where they say nothing about the trainer.
"""

from collections.abc import Mapping
from typing import NamedTuple

HOSTS, RANK, NAME, COMMAND = "PHYLON_HOSTS", "PHYLON_RANK", "PHYLON_LAUNCH", "PHYLON_LAUNCHER"
OWN_FOLDER = "PHYLON_OWN_FOLDER"


class LaunchInvalid(ValueError):
    """The variables contradict each other; the text says how, and what to do."""


class Launch(NamedTuple):
    rank: int
    size: int
    name: str
    """The same in all processes of this start, and in no other start."""
    command: str = f"{HOSTS}="
    """What stands before the number of processes where they are launched."""
    has_own_folder: bool = False
    """Each process has a run directory of its own, and whoever started them carries files from one to the other; else
    all see the same."""

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def variables(self) -> dict[str, str]:
        """What a trainer is given."""
        own_folder = {OWN_FOLDER: "1"} if self.has_own_folder else {}
        return {HOSTS: str(self.size), RANK: str(self.rank), NAME: self.name, COMMAND: self.command, **own_folder}

    def of(self, size: int) -> str:
        """How to launch so many processes, in the words of what launched these."""
        return f"{self.command}{size}"


def find_launch(environment: Mapping[str, str]) -> Launch | None:
    """None for a process that is alone. Our own variables come first, then those of the innermost launcher."""
    if HOSTS in environment or RANK in environment:
        return own_launch(environment)
    if "OMPI_COMM_WORLD_SIZE" in environment:
        return _launch(
            environment,
            "OMPI_COMM_WORLD_RANK",
            "OMPI_COMM_WORLD_SIZE",
            _find(environment, "mpiexec", "PMIX_NAMESPACE"),
            "mpiexec -n ",
        )
    # A batch script has SLURM_NTASKS and SLURM_PROCID as well, although it runs once: only a step is of several.
    if "SLURM_STEP_NUM_TASKS" in environment:
        step = f"{_find(environment, 'srun', 'SLURM_JOB_ID')}.{_find(environment, 'srun', 'SLURM_STEP_ID')}"
        again = environment.get("SLURM_RESTART_COUNT", "0")  # a job that is queued again keeps its number
        name = f"slurm-{step}.{again}"
        return _launch(environment, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", name, "srun --ntasks=")
    return None


def own_launch(environment: Mapping[str, str]) -> Launch | None:
    """By our own variables alone."""
    if HOSTS not in environment and RANK not in environment:
        return None
    if missing := [name for name in (HOSTS, RANK, NAME) if not environment.get(name)]:
        raise LaunchInvalid(f"{', '.join(missing)} is missing; set all of {HOSTS}, {RANK} and {NAME}, or none")
    return _launch(environment, RANK, HOSTS, environment[NAME], environment.get(COMMAND) or f"{HOSTS}=")


def block_of(rank: int, size: int, members: int) -> range:
    """The members of a process: blocks follow each other, and the first ones have one more where it does not come out
    even."""
    each, more = divmod(members, size)
    first = rank * each + min(rank, more)
    return range(first, first + each + (rank < more))


def _find(environment: Mapping[str, str], launcher: str, name: str) -> str:
    if not environment.get(name):
        raise LaunchInvalid(
            f"{launcher} launched this process, but {name} is not set; set {HOSTS}, {RANK} and {NAME} yourself"
        )
    return environment[name]


def _launch(environment: Mapping[str, str], rank: str, size: str, name: str, command: str) -> Launch | None:
    numbers = {variable: environment.get(variable, "") for variable in (rank, size)}
    for variable, value in numbers.items():
        if not value.isdecimal():
            raise LaunchInvalid(f"{variable} is {value!r}; it must be a whole number")
    own, of = int(numbers[rank]), int(numbers[size])
    if own >= of:
        raise LaunchInvalid(f"{rank} is {own}, but there are only {of} processes ({size}); ranks count from 0")
    return Launch(own, of, name, command, environment.get(OWN_FOLDER) == "1") if of > 1 else None
