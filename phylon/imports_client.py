"""Results from elsewhere, as methods of `phylon.Client`."""

import base64
import re
from pathlib import Path
from typing import TYPE_CHECKING

from phylon.connection import Connection
from phylon.contract.experiments import Experiment
from phylon.contract.imports import ImportFormat

if TYPE_CHECKING:
    from phylon.imports.collecting import Collected


class ImportsClient(Connection):
    def import_results(
        self,
        path: "Path | str | Collected",
        name: str | None = None,
        format: ImportFormat | None = None,
        environment: str | None = None,
        algorithm: str | None = None,
        return_name: str | None = None,
        project: str | None = None,
    ) -> Experiment:
        """Stores results from elsewhere as an experiment that can be compared: a CSV file, a directory of SR-SAC's text
        files, of Ray Tune or of TensorBoard, or what `phylon.imports.collecting.collect` found there.

        Raises `ImportRefused` where the path holds no such results, `ApiError` where the service cannot read them.
        """
        from phylon.imports.collecting import collect_one  # here, because it loads numpy

        found = collect_one(Path(path), format) if isinstance(path, str | Path) else path
        given = name or _as_name(found.path.resolve().stem)
        body = {
            **{"name": f"{given}-{_as_name(found.suffix)}" if found.suffix else given, "format": found.format.value},
            **{"environment": environment, "algorithm": algorithm, "return_name": return_name},
            **{"source": str(found.path)[:500], "project": project},
            "files": [
                {"path": each, "content": base64.b64encode(content).decode()} for each, content in found.files.items()
            ],
        }
        return self._read(Experiment, self._transport.create("/imports", body))


def _as_name(text: str) -> str:
    """What the service takes for a name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip("._-")[:100] or "imported"
