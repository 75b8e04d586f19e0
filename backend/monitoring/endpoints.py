"""`/metrics` in Prometheus' text format."""

import hmac

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from phylon.backend.context import Context
from phylon.backend.dependencies import ContextDep
from phylon.backend.kit.errors import Unauthorized

router = APIRouter()


@router.get("/metrics", include_in_schema=False)
def get_metrics(request: Request, context: ContextDep) -> Response:
    if not may_scrape(context, request.headers.get("authorization", "")):
        raise Unauthorized(
            "The metrics of a service with accounts are not for everyone.",
            "Start the API with PHYLON_METRICS_TOKEN set, and let Prometheus send it as bearer token.",
        )
    return Response(generate_latest(context.meters.registry), media_type=CONTENT_TYPE_LATEST)


def may_scrape(context: Context, authorization: str) -> bool:
    """Open on a machine of one's own, unless a token is set; with accounts, by the token alone."""
    token = context.settings.metrics_token
    if token is None:
        return context.settings.public_url is None
    return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
