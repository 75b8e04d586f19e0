"""Creating calls that may be sent twice. A caller that names its call by an `Idempotency-Key` gets one thing created
and the same answer again, however often the call arrives, even at the same moment.

The key is stored in the transaction that creates: a call that fails leaves no key, and may be corrected and sent again.
"""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from pydantic import BaseModel
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from phylon.backend.dependencies import ViewerDep, WriteSession
from phylon.backend.kit import clock
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import IdempotencyKey

KEPT = timedelta(hours=24)

Answer = TypeVar("Answer", bound=BaseModel)


class KeyReused(Invalid):
    """The Idempotency-Key belongs to another request."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The Idempotency-Key '{key}' was used for a request with another body.",
            "Send a new key with every new request, and the same key only with the very same body.",
        )


class Once:
    def __init__(self, session: Session, user_id: int, route: str, key: str | None) -> None:
        self._session = session
        self._user_id = user_id
        self._route = route
        self._key = key

    def __call__(self, body: BaseModel, kind: type[Answer], create: Callable[[], Answer]) -> Answer:
        """What `create` returns, now or when the same call came first."""
        if self._key is None:
            return create()
        self._session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < clock.now() - KEPT))
        digest = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
        row = IdempotencyKey(
            user_id=self._user_id,
            route=self._route,
            key=self._key,
            body_sha256=digest,
            answer=None,
            created_at=clock.now(),
        )
        try:
            with self._session.begin_nested():  # waits for a call with this key that is under way
                self._session.add(row)
        except IntegrityError:
            return self._recall(self._key, digest, kind)
        answer = create()
        row.answer = answer.model_dump_json()
        return answer

    def _recall(self, key: str, digest: str, kind: type[Answer]) -> Answer:
        first = self._session.get_one(IdempotencyKey, (self._user_id, self._route, key))
        if first.body_sha256 != digest:
            raise KeyReused(key)
        return kind.model_validate_json(first.answer or "")


def get_once(
    request: Request,
    session: WriteSession,
    viewer: ViewerDep,
    idempotency_key: Annotated[
        str | None,
        Header(min_length=1, max_length=200, description="Names the call, so that sending it twice creates once."),
    ] = None,
) -> Once:
    return Once(session, viewer.user_id, request.url.path.removeprefix("/api/v1"), idempotency_key)


OnceDep = Annotated[Once, Depends(get_once)]
