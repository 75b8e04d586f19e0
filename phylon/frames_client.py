"""Tidy tables of a whole experiment, as methods of `phylon.Client`. Needs pyarrow: `pip install 'phylon[export]'`."""

import io
from importlib import import_module
from typing import Any, Literal

from phylon.connection import Connection
from phylon.contract.experiments import Experiment

FrameTable = Literal["metrics", "lineage"]


class FramesClient(Connection):
    def table(self, experiment_id: int, of: FrameTable = "metrics") -> Any:
        """A `pyarrow.Table` of all runs of an experiment: one row per value of a metric, or per span of the lineage.

        Before the columns of `phylon export` stand `experiment` (its name), `run`, `replicate` and `seed`.
        """
        pyarrow, parquet = _pyarrow()
        experiment = self._get(f"/experiments/{experiment_id}", Experiment)
        parts: list[Any] = []
        for run in experiment.runs:
            with self._transport.stream(f"/runs/{run.id}/export/{of}.parquet") as answer:
                part = parquet.read_table(io.BytesIO(b"".join(answer.iter_bytes())))
            known = {"experiment": experiment.name, "run": run.id, "replicate": run.replicate, "seed": run.seed}
            for place, (name, value) in enumerate(known.items()):
                part = part.add_column(place, name, pyarrow.array([value] * part.num_rows, _type(pyarrow, value)))
            parts.append(part)
        # Runs of a search may know different hyper-parameters: what a run has not is empty.
        return pyarrow.concat_tables(parts, promote_options="default")

    def frame(self, experiment_id: int, of: FrameTable = "metrics") -> Any:
        """The same as a `pandas.DataFrame`; needs pandas besides."""
        try:
            import_module("pandas")
        except ImportError:
            raise ImportError("frame() needs pandas; run: pip install pandas, or use table(), which does not") from None
        return self.table(experiment_id, of).to_pandas()


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError("this needs pyarrow, not installed here; run: pip install 'phylon[export]'") from None


def _type(pyarrow: Any, value: object) -> Any:
    return pyarrow.string() if isinstance(value, str) else pyarrow.int64()
