"""Tokens of this user for services, as `phylon login` keeps them: in one file that nobody else can read."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

DEFAULT_URL = "http://127.0.0.1:8787"


class Login(NamedTuple):
    url: str
    token: str | None


def find(url: str | None) -> Login:
    """Where to ask, and with which token. PHYLON_API_URL and PHYLON_TOKEN win over what was stored, and a stored token
    goes to no other service than the one that made it."""
    stored = _read()
    chosen = (url or os.environ.get("PHYLON_API_URL") or stored.get("default") or DEFAULT_URL).rstrip("/")
    return Login(chosen, os.environ.get("PHYLON_TOKEN") or stored.get("tokens", {}).get(chosen))


def stored_token(url: str) -> str | None:
    """What `phylon login` keeps for this service, whatever PHYLON_TOKEN says."""
    return _read().get("tokens", {}).get(url)


def store(url: str, token: str) -> Path:
    """From now on this service is the one that commands mean when they name none."""
    stored = _read()
    return _write({"default": url.rstrip("/"), "tokens": stored.get("tokens", {}) | {url.rstrip("/"): token}})


def forget(url: str) -> None:
    stored = _read()
    tokens = {other: token for other, token in stored.get("tokens", {}).items() if other != url}
    default = stored.get("default")
    _write({"default": None if default == url else default, "tokens": tokens})


def _file() -> Path:
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "phylon" / "credentials.json"


def _read() -> dict[str, Any]:
    try:
        return json.loads(_file().read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}


def _write(content: dict[str, Any]) -> Path:
    """Whole or not at all, and never readable by others, not even for a moment."""
    file = _file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = file.with_suffix(".part")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as writer:
        json.dump(content, writer, indent=2)
    partial.replace(file)
    return file
