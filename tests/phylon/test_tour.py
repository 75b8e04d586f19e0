"""The notebook of examples/, cell by cell in one namespace, as a notebook does it, against the real service."""

import json
from pathlib import Path
from typing import Any

import pytest

from phylon import Client

TOUR = Path(__file__).parents[2] / "examples" / "tour.ipynb"


def test_every_cell_of_the_tour_runs(client: Client, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv("PHYLON_API_URL", client.url)
    cells = [cell for cell in json.loads(TOUR.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 4
    names: dict[str, Any] = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert names["comparison"].verdict.headline.startswith("ours is better than theirs by")
    assert [row.name for row in names["rows"]] == ["ours", "theirs"]
    assert "was trained elsewhere" in capsys.readouterr().out
    assert client.experiments(query="env = tour-v0") == [], "it leaves nothing behind"
