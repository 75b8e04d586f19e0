"""Parts of Phylon that are installed apart, service and engine. The CLI starts them as processes of their own."""

import importlib.util

from phylon.cli.exits import WorkFailed


def require_server() -> None:
    _require("server", ("fastapi", "sqlalchemy"))


def require_worker() -> None:
    _require("worker", ("jax", "gymnasium", "matplotlib"))


def _require(extra: str, modules: tuple[str, ...]) -> None:
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise WorkFailed(f"this needs {', '.join(missing)}, not installed here; run: pip install 'phylon[{extra}]'")
