"""Builds the service from its settings."""

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from backend.openapi import document, operation_id
from backend.routes import router
from backend.settings import Settings


def create_app(settings: Settings) -> FastAPI:
    app = FastAPI(
        title="Phylon",
        version=version("phylon"),
        generate_unique_id_function=operation_id,
        docs_url="/api/docs",
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.include_router(router)

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app)
        return app.openapi_schema

    app.openapi = openapi
    return app
