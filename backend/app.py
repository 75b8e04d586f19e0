"""Builds the service from its settings."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from phylon.backend.accounts.first_admin import offer_first_admin
from phylon.backend.context import Context
from phylon.backend.kit import failures, single_page
from phylon.backend.kit.body_limit import LimitBodies
from phylon.backend.kit.browser_guard import BrowserGuard
from phylon.backend.kit.compact import CompactAnswers
from phylon.backend.kit.database import Database
from phylon.backend.kit.doorbell import Doorbell
from phylon.backend.kit.failures import UnexpectedFailures
from phylon.backend.kit.rate_limit import LimitRates
from phylon.backend.kit.security_headers import SecurityHeaders
from phylon.backend.monitoring import endpoints as monitoring
from phylon.backend.monitoring.gauges import DatabaseGauges
from phylon.backend.monitoring.requests import RequestMonitor
from phylon.backend.openapi import document, operation_id
from phylon.backend.queue.broker import Broker
from phylon.backend.queue.scheduler import Scheduler
from phylon.backend.reference import endpoints as reference
from phylon.backend.routes import router
from phylon.backend.settings import Settings
from phylon.backend.sweeping.sweeper import Sweeper
from phylon.backend.webhooks.sender import Sender


def create_app(settings: Settings) -> FastAPI:
    context = Context(settings, Database(settings.database_url), Doorbell(settings.redis_url))
    app = FastAPI(
        title="Phylon",
        description="Population-based reinforcement learning: experiments, runs, lineage and metrics.",
        version=version("phylon"),
        generate_unique_id_function=operation_id,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.context = context
    meters = context.meters
    meters.registry.register(DatabaseGauges(context.database, settings.lease_seconds))
    app.add_middleware(CompactAnswers)
    app.add_middleware(LimitBodies, refused=meters.refused)
    if settings.public_url is not None:
        app.add_middleware(LimitRates, refused=meters.refused)
    app.add_middleware(BrowserGuard, public_url=settings.public_url)
    app.add_middleware(UnexpectedFailures)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(RequestMonitor, meters=meters)
    failures.install(app)
    app.include_router(router)
    app.include_router(monitoring.router)
    app.include_router(reference.router)
    single_page.install(app, settings.frontend)
    app.openapi = lambda: _document_once(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    context: Context = app.state.context
    broker = Broker(context.settings.redis_url, context.doorbell)
    scheduler, sweeper, sender = Scheduler(context, broker), Sweeper(context), Sender(context)
    await asyncio.to_thread(offer_first_admin, context)
    scheduler.start()
    sweeper.start()
    sender.start()
    listening = asyncio.create_task(context.doorbell.listen())
    try:
        yield
    finally:
        listening.cancel()
        with suppress(asyncio.CancelledError):
            await listening
        await asyncio.to_thread(scheduler.stop)
        await asyncio.to_thread(sweeper.stop)
        await asyncio.to_thread(sender.stop)
        broker.close()
        context.doorbell.close()
        context.database.dispose()


def _document_once(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        app.openapi_schema = document(app)
    return app.openapi_schema
