"""What is wrong with this machine. Each check is a function that looks at one thing and returns its findings.

Nothing heavy is loaded here: what needs JAX, an environment library or the database runs in a process of its own, with
a time limit, so that a library that hangs or crashes is a finding and not the end of the examination.
"""

from collections.abc import Callable, Iterator

from phylon.doctor.database import check_database
from phylon.doctor.engine import check_ffmpeg, check_gpu, check_jax, check_suites
from phylon.doctor.files import check_disk, check_permissions
from phylon.doctor.finding import Finding, Machine, error
from phylon.doctor.python import check_packages, check_plugins, check_python
from phylon.doctor.redis_server import check_redis
from phylon.doctor.service import check_clock, check_port, check_service, check_workers

CHECKS: tuple[Callable[[Machine], list[Finding]], ...] = (
    check_python,
    check_packages,
    check_plugins,
    check_jax,
    check_gpu,
    check_suites,
    check_ffmpeg,
    check_disk,
    check_permissions,
    check_database,
    check_redis,
    check_port,
    check_service,
    check_clock,
    check_workers,
)


def examine(machine: Machine) -> Iterator[Finding]:
    """In order, each as soon as it is known."""
    for check in CHECKS:
        try:
            yield from check(machine)
        except Exception as failure:  # a check that fails must not hide the others
            name = check.__name__.removeprefix("check_")
            reason = f"the check itself failed: {type(failure).__name__}: {failure}"
            yield error(name, reason, "report this as a defect of Phylon")
