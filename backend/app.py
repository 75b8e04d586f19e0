"""Builds the service from its settings."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

from phylon.backend.artifacts import storage
from phylon.backend.context import Context
from phylon.backend.kit import failures
from phylon.backend.kit.browser_guard import BrowserGuard
from phylon.backend.kit.compact import CompactAnswers
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.kit.single_page import SinglePage
from phylon.backend.openapi import document, operation_id
from phylon.backend.queue.broker import Broker
from phylon.backend.queue.scheduler import Scheduler
from phylon.backend.routes import router
from phylon.backend.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    context = Context(settings, Database(settings.database_url), Doorbell(settings.redis_url))
    app = FastAPI(
        title="Phylon",
        description="Population-based reinforcement learning: experiments, runs, lineage and metrics.",
        version=version("phylon"),
        generate_unique_id_function=operation_id,
        docs_url="/api/docs",
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.context = context
    app.add_middleware(CompactAnswers)
    app.add_middleware(BrowserGuard)
    failures.install(app)
    app.include_router(router)
    if settings.frontend.is_dir():
        app.mount("/", GZipMiddleware(SinglePage(settings.frontend)), name="frontend")
    app.openapi = lambda: _document_once(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    context: Context = app.state.context
    broker = Broker(context.settings.redis_url, context.doorbell)
    scheduler = Scheduler(context, broker)
    storage.sweep(context.settings.artifacts)
    scheduler.start()
    listening = asyncio.create_task(context.doorbell.listen())
    try:
        yield
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await asyncio.to_thread(scheduler.stop)
        broker.close()
        context.doorbell.close()
        context.database.dispose()


def _document_once(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = document(app)
    return app.openapi_schema
