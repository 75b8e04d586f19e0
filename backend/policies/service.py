"""Reads the card inside of a stored policy. It is the file's own, so nothing of it is kept in the database."""

import json
import zipfile
from typing import Any

from sqlalchemy.orm import Session

from phylon.backend.accounts.viewer import Viewer
from phylon.backend.artifacts import repository as artifacts
from phylon.backend.artifacts.seekable import open_artifact
from phylon.backend.artifacts.service import is_policy
from phylon.backend.context import Context
from phylon.backend.kit.errors import NotFound
from phylon.backend.models import Artifact
from phylon.backend.runs import repository as runs
from phylon.contract.policies import PolicyAction, PolicyCard
from phylon.policy.names import CARD_FILE

LARGEST_CARD = 2**20
"""Bytes. A worker wrote it, so its size is not to be trusted."""


def read_card(session: Session, context: Context, viewer: Viewer, run_id: int) -> PolicyCard:
    job_id = runs.get(session, viewer, run_id).job_id
    stored = next((row for row in artifacts.of_job(session, job_id) if is_policy(row)), None)
    if stored is None:
        raise NotFound("policy of run", run_id)
    try:
        card = json.loads(_read_member(context, stored, CARD_FILE))
        return PolicyCard.model_validate(_fields(card) | {"artifact_id": stored.id, "bytes": stored.bytes})
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError):
        raise NotFound("readable policy of run", run_id) from None


def _read_member(context: Context, stored: Artifact, name: str) -> bytes:
    with zipfile.ZipFile(open_artifact(context, stored)) as archive:
        if archive.getinfo(name).file_size > LARGEST_CARD:
            raise ValueError(f"{name} is too large")
        return archive.read(name)


def _fields(card: dict[str, Any]) -> dict[str, Any]:
    action = card["action"]
    same = ("format", "name", "algorithm", "environment", "tolerance", "provenance", "versions")
    return {name: card[name] for name in same} | {
        "observation": {"parts": [], **card["observation"]},
        "action": PolicyAction(
            kind=action["kind"],
            dtype=action["dtype"],
            shape=action.get("shape", []),
            low=action.get("low", []),
            high=action.get("high", []),
            n=action.get("n"),
            start=action.get("start"),
            counts=action.get("counts", []),
            starts=action.get("starts", []),
        ),
        "distribution": card["network"]["distribution"],
        "numbers": card["weights"]["numbers"],
        "weights_sha256": card["weights"]["sha256"],
    }
