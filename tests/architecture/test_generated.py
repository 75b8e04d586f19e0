"""What is derived stays in step with what it is derived from; `make generate` writes all of it again."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FRONTEND = ROOT / "frontend"


def files_below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_stored_openapi_document_is_that_of_the_service() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "phylon.backend.openapi"], cwd=ROOT, capture_output=True, check=True, timeout=120
    )
    assert json.loads((FRONTEND / "openapi.json").read_text()) == json.loads(printed.stdout), "run `make generate`"


def test_the_typescript_client_is_that_of_the_document(tmp_path: Path) -> None:
    generated = str(tmp_path / "generated")
    generate = ["npx", "--no-install", "openapi-ts", "--output", generated]
    for command in (generate, ["node", "plainLinks.mjs", generated]):
        subprocess.run(command, cwd=FRONTEND, capture_output=True, check=True, timeout=120)
    assert files_below(tmp_path / "generated") == files_below(FRONTEND / "src/api/generated"), "run `make generate`"
