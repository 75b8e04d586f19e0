"""One way of logging for our code, uvicorn and libraries: lines for people or JSON for machines, on standard error."""

import logging
import sys
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_request: ContextVar[dict[str, Any] | None] = ContextVar("request", default=None)
"""Shared by the event loop and the thread that serves the request: what one learns, the other logs too."""


@contextmanager
def request(**known: Any) -> Generator[None]:
    """Every line that is logged meanwhile carries what is known of the request."""
    token = _request.set(known)
    try:
        yield
    finally:
        _request.reset(token)


def add_to_request(**known: Any) -> None:
    details = _request.get()
    if details is not None:
        details.update(known)


def _merge_request(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    return {**(_request.get() or {}), **event}


def configure(log_format: str) -> None:
    """`json`, or anything else for lines that people read. Tracebacks show no variables, since those hold secrets."""
    shared: list[Processor] = [
        _merge_request,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    renderer: list[Processor] = (
        [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
        if log_format == "json"
        else [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.captureWarnings(log_format == "json")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs addresses, and that of a webhook may be a secret
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)  # a heartbeat every few seconds says nothing
