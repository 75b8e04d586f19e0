"""The cookie that holds a sign-in."""

from starlette.responses import Response

from phylon.backend.accounts.authentication import ABSOLUTE


def cookie_name(public_url: str) -> str:
    """The prefix binds a cookie to this host and to TLS; browsers refuse it without."""
    return "__Host-phylon" if _is_secure(public_url) else "phylon"


def set_cookie(response: Response, public_url: str, secret: str) -> None:
    response.set_cookie(
        cookie_name(public_url),
        secret,
        max_age=int(ABSOLUTE.total_seconds()),
        path="/",
        secure=_is_secure(public_url),
        httponly=True,
        samesite="strict",
    )


def clear_cookie(response: Response, public_url: str) -> None:
    response.delete_cookie(
        cookie_name(public_url), path="/", secure=_is_secure(public_url), httponly=True, samesite="strict"
    )


def _is_secure(public_url: str) -> bool:
    return public_url.startswith("https://")
