"""How the worker's processes log, on standard error: lines for people or, with PHYLON_LOG_FORMAT=json, for machines.

What `bound` knows stands in every line of the thread that it surrounds, such as the job and the attempt.
"""

import logging
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import structlog
from structlog.typing import Processor

_HUMAN = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def configure(level: int = logging.INFO, environment: Mapping[str, str] = os.environ) -> None:
    handler = logging.StreamHandler(sys.stderr)
    is_json = environment.get("PHYLON_LOG_FORMAT") == "json"
    handler.setFormatter(_json_formatter() if is_json else logging.Formatter(_HUMAN))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.captureWarnings(is_json)  # else they would be the one kind of line that no machine can read
    logging.getLogger("httpx").setLevel(logging.WARNING)


def _json_formatter() -> logging.Formatter:
    """The same fields as in the service's lines. Tracebacks show no variables, since those hold secrets."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.ExceptionRenderer(tracebacks),
            structlog.processors.JSONRenderer(),
        ],
    )


def configure_job(environment: Mapping[str, str] = os.environ) -> None:
    """For the process of a job: its supervisor says which one it is. What libraries remark is not for its log."""
    configure(logging.WARNING, environment)
    named = {"job_id": environment.get("PHYLON_JOB_ID"), "attempt": environment.get("PHYLON_ATTEMPT")}
    structlog.contextvars.bind_contextvars(**{name: int(value) for name, value in named.items() if value})


@contextmanager
def bound(**known: Any) -> Generator[None]:
    with structlog.contextvars.bound_contextvars(**known):
        yield
