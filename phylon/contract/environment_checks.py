"""Checks of environments: what one really does on a worker that offers it, and what to do about it."""

from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from phylon.contract.experiments import Submission
from phylon.contract.payloads import PayloadSummary
from phylon.spec.distributions import Model

Verdict = Literal["ok", "slow", "wrong"]
"""`slow`: it can be trained on, at a price."""

Words = Annotated[str, Field(max_length=4000)]


class EnvironmentFinding(Model):
    subject: Words
    verdict: Verdict
    message: Words
    remedy: Words
    """What to do about it; empty where nothing has to be done."""


class EnvironmentReport(Model):
    suite: str
    id: str
    observation: str
    """What it shows, in words."""
    action: str
    max_episode_steps: int | None
    findings: Annotated[list[EnvironmentFinding], Field(max_length=200)]
    algorithms: list[str]
    """Those that can learn there."""
    environment: dict[str, Any]
    """What a spec says of it."""

    @property
    def verdict(self) -> Verdict:
        """The worst of all."""
        verdicts = {finding.verdict for finding in self.findings}
        return "wrong" if "wrong" in verdicts else "slow" if "slow" in verdicts else "ok"


class EnvironmentCheckRequest(Submission):
    """An environment to be tried by a worker that offers it."""

    suite: Annotated[str, Field(max_length=50)] | None = None
    """Without it the one that has the environment; Gymnasium of several."""
    environment: Annotated[str, Field(min_length=1, max_length=200)]
    """An id of the catalogue, or `my_package:MyEnv-v0`."""
    options: Annotated[dict[str, JsonValue], Field(max_length=100, default_factory=dict)]
    """Handed to `gymnasium.make`."""
    worker_id: int | None = None
    """The worker that is to try it; any that offers it may without it."""
    project: str | None = None
    """The name of the project that it is for; without it, the first of which one is a member."""


class EnvironmentCheck(PayloadSummary):
    suite: str
    environment: str
    options: dict[str, Any]
    verdict: Verdict | None
    """The worst of its findings; none before there is a report."""
    report: EnvironmentReport | None
