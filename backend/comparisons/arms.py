"""What is compared with what: arms, and the tasks that they share."""

from typing import NamedTuple

from sqlalchemy.orm import Session

from phylon import catalogue
from phylon.backend.accounts.viewer import Viewer
from phylon.backend.experiments import repository as experiments_repository
from phylon.backend.groups import repository as groups_repository
from phylon.backend.groups.arrangement import of_group
from phylon.backend.kit.errors import Invalid
from phylon.backend.models import Experiment, Group
from phylon.contract.groups import GroupOf
from phylon.imports.results import IMPORTED

MOST_ARMS = 24


class Subject(NamedTuple):
    """An arm, without its numbers."""

    key: str
    name: str
    group: Group | None
    tasks: dict[str, Experiment]

    def on(self, tasks: list[str]) -> list[Experiment]:
        return [self.tasks[task] for task in tasks if task in self.tasks]


class NothingToCompare(Invalid):
    """No experiment and no group was named."""

    def __init__(self) -> None:
        super().__init__("Nothing to compare: no experiment and no group was named.", "Name at least two of them.")


class TooManyArms(Invalid):
    """More arms than a comparison can show."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} arms are too many to compare at once.", f"Choose at most {MOST_ARMS}.")


class NoSuchTask(Invalid):
    """No arm has this environment."""

    def __init__(self, task: str, known: list[str]) -> None:
        super().__init__(f"No arm has the task '{task}'.", f"Choose one of: {', '.join(known)}.")


def choose(session: Session, viewer: Viewer, experiments: list[int], groups: list[int]) -> list[Subject]:
    """In the order in which they were named, each once. A group of arms gives all of them."""
    chosen: dict[str, Subject] = {}
    for experiment_id in experiments:
        _add(chosen, _alone(experiments_repository.get(session, viewer, experiment_id)))
    for group_id in groups:
        group = groups_repository.get(session, viewer, group_id)
        if of_group(group) == GroupOf.ARMS:
            for experiment in group.experiments:
                _add(chosen, _alone(experiment))
        elif group.experiments:
            _add(chosen, Subject(f"group-{group.id}", group.name, group, _tasks(group)))
    if not chosen:
        raise NothingToCompare
    if len(chosen) > MOST_ARMS:
        raise TooManyArms(len(chosen))
    return list(chosen.values())


def _add(chosen: dict[str, Subject], subject: Subject) -> None:
    chosen.setdefault(subject.key, subject)


def _alone(experiment: Experiment) -> Subject:
    return Subject(f"experiment-{experiment.id}", experiment.name, None, {experiment.environment: experiment})


def _tasks(group: Group) -> dict[str, Experiment]:
    """By environment; with the experiment's own name where the document says that two of one environment are tasks."""
    names = [experiment.environment for experiment in group.experiments]
    return {
        experiment.environment
        if names.count(experiment.environment) == 1
        else f"{experiment.environment} ({experiment.name.removeprefix(group.name + '-')})": experiment
        for experiment in group.experiments
    }


def all_tasks(subjects: list[Subject]) -> list[str]:
    return list(dict.fromkeys(task for subject in subjects for task in subject.tasks))


def common_tasks(subjects: list[Subject]) -> list[str]:
    return [task for task in all_tasks(subjects) if all(task in subject.tasks for subject in subjects)]


def only(subjects: list[Subject], task: str | None) -> list[Subject]:
    """Those that have the task, with nothing but it."""
    if task is None:
        return subjects
    if task not in all_tasks(subjects):
        raise NoSuchTask(task, all_tasks(subjects))
    return [subject._replace(tasks={task: subject.tasks[task]}) for subject in subjects if task in subject.tasks]


def are_comparable(environments: list[tuple[str, str]]) -> bool:
    """Returns mean the same in one environment, and in dm_control, whose tasks all pay 0 to 1000 an episode. Of what
    was trained elsewhere the suite is not known: the id counts."""
    known = {environment for environment in environments if environment[0] != IMPORTED}
    if len(known) < len(set(environments)):
        return len({id for _, id in environments}) == 1
    entries = [catalogue.find(*environment) for environment in set(environments)]
    return len(entries) == 1 or all(entry is not None and entry.family == "dm_control" for entry in entries)
