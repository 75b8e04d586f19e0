"""To whom something belongs, as every read model of it says."""

from phylon.backend.models import Experiment, Group, Job
from phylon.contract.accounts import PersonName, ProjectName


def owner_name(thing: Experiment | Group | Job) -> PersonName:
    return PersonName(id=thing.owner.id, name=thing.owner.name)


def project_name(thing: Experiment | Group | Job) -> ProjectName:
    return ProjectName(id=thing.project.id, name=thing.project.name)
