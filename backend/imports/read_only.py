"""What was trained elsewhere cannot go on here."""

from phylon.backend.kit.errors import Conflict
from phylon.backend.models import Experiment


class ImportedReadOnly(Conflict):
    """The experiment was imported: it can be organised, compared and deleted, nothing else."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(
            f"Experiment {experiment.id} was imported from {experiment.import_format}: there is nothing to train here.",
            "Submit a spec of its own to train something like it.",
        )


def refuse_imported(experiment: Experiment) -> None:
    if experiment.import_format is not None:
        raise ImportedReadOnly(experiment)
