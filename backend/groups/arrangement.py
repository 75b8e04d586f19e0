"""What the experiments of a group are to each other."""

from typing import Any, cast

from phylon.backend.models import Group
from phylon.contract.groups import GroupOf
from phylon.spec import read_yaml


def of_group(group: Group) -> GroupOf:
    """What its document says; else tasks where each has an environment of its own, and arms where any two share one:
    averaging methods or settings of one task would say nothing."""
    document = cast(dict[str, Any], read_yaml(group.yaml))
    if (said := document.get("of")) is not None:
        return GroupOf(said)
    environments = {(experiment.suite, experiment.environment) for experiment in group.experiments}
    is_each_its_own = len(group.experiments) > 1 and len(environments) == len(group.experiments)
    return GroupOf.TASKS if is_each_its_own else GroupOf.ARMS
