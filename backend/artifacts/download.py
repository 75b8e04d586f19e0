"""A file as an answer: streamed, whole or one range of bytes, wherever it lies."""

import re
from collections.abc import Callable, Iterator, Mapping

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from phylon.backend.kit.errors import PlatformError

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
"""Who asks for several ranges at once gets the whole file, as HTTP allows."""


class RangeWrong(PlatformError):
    """The file ends before the range that was asked for."""

    status_code = 416

    def __init__(self, asked: str, size: int) -> None:
        super().__init__(f"Range {asked!r} lies outside of the file, which has {size} bytes.", "Ask for less of it.")


def respond(
    request: Request,
    read: Callable[[int, int], Iterator[bytes]],
    *,
    size: int,
    sha256: str,
    media_type: str,
    headers: Mapping[str, str],
) -> Response:
    """`read` yields the bytes from its first argument to before its second."""
    tag = f'"{sha256}"'
    sent = {**headers, "Accept-Ranges": "bytes", "ETag": tag, "X-Content-SHA256": sha256}
    asked = _RANGE.fullmatch(request.headers.get("range", ""))
    if asked is None or request.headers.get("if-range", tag) != tag:
        sent["Content-Length"] = str(size)
        return StreamingResponse(read(0, size), 200, sent, media_type)
    start, end = _limits(asked, size)
    sent |= {"Content-Length": str(end - start), "Content-Range": f"bytes {start}-{end - 1}/{size}"}
    return StreamingResponse(read(start, end), 206, sent, media_type)


def _limits(asked: re.Match[str], size: int) -> tuple[int, int]:
    first, last = asked.groups()
    if first:
        start, end = int(first), min(int(last) + 1, size) if last else size
    else:
        start, end = max(0, size - int(last or 0)), size
    if start >= end:
        raise RangeWrong(asked.string, size)
    return start, end
