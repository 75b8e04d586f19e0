"""One try to deliver a message: signed as Standard Webhooks describes, ten seconds at most, no redirects."""

import asyncio
import base64
import hashlib
import hmac
import time
from typing import NamedTuple

import httpx

from phylon.backend.kit.errors import PlatformError
from phylon.backend.webhooks.addresses import resolve

TRY_SECONDS = 10.0
SECRET_PREFIX = "whsec_"


class Message(NamedTuple):
    delivery_id: int
    message_id: str
    url: str
    secret: str
    body: str


class Outcome(NamedTuple):
    status: int | None
    """None where nobody answered."""
    error: str | None
    """None when it was delivered."""


async def send(message: Message, *, allow_private: bool) -> Outcome:
    try:
        async with asyncio.timeout(TRY_SECONDS):
            status = await _post(message, allow_private)
    except TimeoutError:
        return Outcome(None, f"no answer within {TRY_SECONDS:g} s")
    except (PlatformError, httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return Outcome(None, f"{type(error).__name__}: {error}"[:500])
    return Outcome(status, None if 200 <= status < 300 else f"answered {status}")


async def _post(message: Message, allow_private: bool) -> int:
    url = httpx.URL(message.url)
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    address = await resolve(url.host, port, allow_private=allow_private)
    content = message.body.encode()
    timestamp = str(int(time.time()))
    headers = {
        "Host": url.netloc.decode(),
        "Content-Type": "application/json",
        "User-Agent": "Phylon",
        "webhook-id": message.message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": sign(message.secret, message.message_id, timestamp, content),
    }
    # To the address that was checked; the certificate must still be that of the name.
    name = {"sni_hostname": url.host}
    async with (
        httpx.AsyncClient(trust_env=False, timeout=TRY_SECONDS) as client,
        client.stream("POST", url.copy_with(host=address), content=content, headers=headers, extensions=name) as answer,
    ):
        return answer.status_code  # nobody reads what the receiver says beyond it


def sign(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"
