"""The kinds of jobs."""

from phylon.backend.environment_checks.job import ENVIRONMENT_CHECK
from phylon.backend.evaluations.job import EVALUATION
from phylon.backend.jobs.kind import JobKind
from phylon.backend.models import Job
from phylon.backend.runs.job import RUN
from phylon.backend.studies.job import STUDY
from phylon.contract.protocol import JobKindName

KINDS: dict[JobKindName, JobKind] = {
    "run": RUN,
    "study": STUDY,
    "evaluation": EVALUATION,
    "environment_check": ENVIRONMENT_CHECK,
}


def kind_of(job: Job) -> JobKind:
    return KINDS[job.kind]  # pyright: ignore[reportArgumentType]
