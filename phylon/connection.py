"""What all parts of the client share: an address, a token, and answers that become models of the contract."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from pydantic import BaseModel, ValidationError

from phylon import credentials
from phylon.contract.base import Page
from phylon.contract.logs import LoggedLine
from phylon.errors import ApiError
from phylon.transport import Transport

ResultType = TypeVar("ResultType", bound=BaseModel)
Item = TypeVar("Item")


class Connection:
    def __init__(self, url: str | None = None, timeout: float = 30.0, token: str | None = None) -> None:
        login = credentials.find(url)
        self._transport = Transport(login.url, timeout, token or login.token)

    @property
    def url(self) -> str:
        return self._transport.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def _get(self, path: str, kind: type[ResultType], **params: Any) -> ResultType:
        return self._read(kind, self._transport.request("GET", path, params))

    def _list(
        self, path: str, kind: type[Item], limit: int | None = None, page_size: int = 500, **params: Any
    ) -> list[Item]:
        """The items of a list, page after page: all, or at most `limit`."""
        items: list[Item] = []
        after: str | None = None
        while limit is None or len(items) < limit:
            wanted = page_size if limit is None else min(page_size, limit - len(items))
            page = self._page(path, kind, limit=wanted, after=after, **params)
            items += page.items
            after = page.next
            if after is None:
                break
        return items

    def _page(self, path: str, kind: type[Item], **params: Any) -> Page[Item]:
        return self._get(path, cast(type[Page[Item]], Page[cast(Any, kind)]), **params)

    def _act(self, kind: type[ResultType], path: str, body: Mapping[str, Any] | None = None) -> ResultType:
        return self._read(kind, self._transport.request("POST", path, json=body))

    def _logs(
        self, path: str, attempt: int | None, has_ended: Callable[[], bool], rank: int | None = None
    ) -> Iterator[LoggedLine]:
        after: str | None = None
        while True:
            ended = has_ended()  # asked first, so that the last lines are surely there
            page = self._page(f"{path}/logs", LoggedLine, attempt=attempt, rank=rank, after=after, limit=1000)
            yield from page.items
            after = page.next
            if not page.items:
                if ended:
                    return
                time.sleep(1.0)

    def _read(self, kind: type[ResultType], answer: Any) -> ResultType:
        try:
            return kind.model_validate(answer, extra="ignore")  # a newer service may say more
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ApiError(
                502,
                f"{self.url} did not answer as this Phylon expects ({kind.__name__} {where}: {first['msg']}).",
                "Use the same version of Phylon here and there, and check PHYLON_API_URL.",
            ) from None


def text_of(source: str | Path) -> str:
    """YAML has several lines; anything shorter names a file."""
    if isinstance(source, str) and "\n" in source:
        return source
    return Path(source).read_text(encoding="utf-8")
