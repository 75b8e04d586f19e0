"""How a process finds out whether it is alone, and which members are its own."""

import pytest

from phylon.launch import Launch, LaunchInvalid, block_of, find_launch, own_launch

OPEN_MPI = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "PMIX_NAMESPACE": "prterun-a-12@1"}
BATCH = {"SLURM_JOB_ID": "77", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"}
STEP = BATCH | {"SLURM_STEP_ID": "2", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"}
OWN = {"PHYLON_HOSTS": "2", "PHYLON_RANK": "1", "PHYLON_LAUNCH": "monday"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        (OPEN_MPI, Launch(3, 4, "prterun-a-12@1", "mpiexec -n ")),
        (OPEN_MPI | {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"}, None),
        (BATCH, None),  # a batch script runs once, whatever it has been granted
        (STEP, Launch(1, 4, "slurm-77.2.0", "srun --ntasks=")),
        (STEP | {"SLURM_RESTART_COUNT": "3"}, Launch(1, 4, "slurm-77.2.3", "srun --ntasks=")),
        (STEP | {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"}, None),
        (STEP | OPEN_MPI, Launch(3, 4, "prterun-a-12@1", "mpiexec -n ")),  # mpiexec within a job
        (STEP | OPEN_MPI | OWN, Launch(1, 2, "monday")),
        (OWN | {"PHYLON_HOSTS": "1", "PHYLON_RANK": "0"}, None),
    ],
)
def test_who_launched_us(environment, expected):
    assert find_launch(environment) == expected


@pytest.mark.parametrize("environment", [OPEN_MPI, STEP])
def test_a_trainer_does_not_look_at_the_launcher_of_its_worker(environment):
    assert own_launch(environment) is None


def test_a_trainer_is_given_what_was_found():
    for launch in (Launch(1, 3, "x"), Launch(1, 3, "x", "mpiexec -n ")):
        assert own_launch(launch.variables()) == launch


def test_a_remedy_says_how_to_launch():
    found = [find_launch(each) for each in (OPEN_MPI, STEP, OWN)]
    assert {launch.of(2) for launch in found if launch} == {"mpiexec -n 2", "srun --ntasks=2", "PHYLON_HOSTS=2"}


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PHYLON_HOSTS": "2"}, "PHYLON_RANK, PHYLON_LAUNCH is missing"),
        (OWN | {"PHYLON_RANK": "2"}, "PHYLON_RANK is 2, but there are only 2 processes"),
        (OWN | {"PHYLON_HOSTS": "two"}, "PHYLON_HOSTS is 'two'"),
        (OPEN_MPI | {"PMIX_NAMESPACE": ""}, "PMIX_NAMESPACE is not set; set PHYLON_HOSTS"),
    ],
)
def test_contradictions_are_named(environment, said):
    with pytest.raises(LaunchInvalid, match=said):
        find_launch(environment)


@pytest.mark.parametrize(
    ("members", "size", "counts"),
    [(13, 3, [5, 4, 4]), (4, 2, [2, 2]), (5, 5, [1] * 5), (7, 1, [7]), (11, 4, [3, 3, 3, 2])],
)
def test_blocks_follow_each_other_and_leave_nobody_out(members, size, counts):
    blocks = [block_of(rank, size, members) for rank in range(size)]
    assert [len(block) for block in blocks] == counts
    assert [member for block in blocks for member in block] == list(range(members))
