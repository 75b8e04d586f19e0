"""What `phylon train` draws of a group once its experiments have ended."""

from collections.abc import Iterator
from pathlib import Path

from phylon.cli import findings
from phylon.figures.comparison import comparison
from phylon.figures.figure2 import figure2
from phylon.figures.runs import DrawnExperiment, DrawnRun
from phylon.run_directory import RUN_FILE
from phylon.spec import Group


def draw(group: Group, folder: Path) -> list[str]:
    """Writes PNG files beside the experiments; gives their names."""
    experiments = [DrawnExperiment(suffix, list(_runs(folder / suffix))) for suffix in group.experiments]
    pictures = {
        "comparison.png": comparison(group.spec.name, experiments),
        "figure2.png": figure2(experiments),
    }
    drawn = {name: picture for name, picture in pictures.items() if picture is not None}
    for name, picture in drawn.items():
        findings.write_whole(folder / name, [picture])
    return list(drawn)


def _runs(folder: Path) -> Iterator[DrawnRun]:
    """Those of an experiment's replicates, or its only one."""
    for file in sorted([*folder.glob(RUN_FILE), *folder.glob(f"replicate-*/{RUN_FILE}")]):
        found = findings.of_folder(file.parent)
        yield DrawnRun(dict(found.series()), found.lineage)
