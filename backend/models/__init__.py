"""The tables. Importing this package knows them all, which migrations rely on."""

from phylon.backend.models.artifact import Artifact
from phylon.backend.models.attempt import Attempt
from phylon.backend.models.audit_record import AuditRecord
from phylon.backend.models.base import Base
from phylon.backend.models.control_group import ControlGroup
from phylon.backend.models.credential import OneTimeCode, SignIn, SignInFailures, Token
from phylon.backend.models.deletable import index_deleted
from phylon.backend.models.environment_check import EnvironmentCheck
from phylon.backend.models.evaluation import Evaluation, EvaluationPolicy
from phylon.backend.models.event import Event
from phylon.backend.models.experiment import Experiment
from phylon.backend.models.experiment_start import ExperimentStart
from phylon.backend.models.experiment_value import ExperimentValue
from phylon.backend.models.group import Group
from phylon.backend.models.idempotency_key import IdempotencyKey
from phylon.backend.models.job import Job
from phylon.backend.models.log_line import LogLine
from phylon.backend.models.metrics import MetricAxis, MetricColumn, MetricSummary, MetricTick
from phylon.backend.models.payload import Payload
from phylon.backend.models.project import DEFAULT_PROJECT, Membership, Project
from phylon.backend.models.rank import Rank
from phylon.backend.models.run import Run
from phylon.backend.models.span import Span
from phylon.backend.models.study import Study, StudyMeasurement
from phylon.backend.models.tag import Star, Tag
from phylon.backend.models.usage import Usage
from phylon.backend.models.user import LOCAL_USER, User
from phylon.backend.models.view import View
from phylon.backend.models.webhook import Webhook, WebhookDelivery
from phylon.backend.models.worker import Worker

index_deleted(Group, Experiment, Job)

__all__ = [
    "DEFAULT_PROJECT",
    "LOCAL_USER",
    "Artifact",
    "Attempt",
    "AuditRecord",
    "Base",
    "ControlGroup",
    "EnvironmentCheck",
    "Evaluation",
    "EvaluationPolicy",
    "Event",
    "Experiment",
    "ExperimentStart",
    "ExperimentValue",
    "Group",
    "IdempotencyKey",
    "Job",
    "LogLine",
    "Membership",
    "MetricAxis",
    "MetricColumn",
    "MetricSummary",
    "MetricTick",
    "OneTimeCode",
    "Payload",
    "Project",
    "Rank",
    "Run",
    "SignIn",
    "SignInFailures",
    "Span",
    "Star",
    "Study",
    "StudyMeasurement",
    "Tag",
    "Token",
    "Usage",
    "User",
    "View",
    "Webhook",
    "WebhookDelivery",
    "Worker",
]
