"""The policy that a run leaves: what its card says. The file itself is an artifact of the run."""

from typing import Literal

from phylon.contract.base import ReadModel, Real
from phylon.contract.events import Hyperparams, Operator
from phylon.policy.parts import Part


class PolicyEnvironment(ReadModel):
    suite: str
    id: str


class PolicyObservation(ReadModel):
    shape: list[int]
    """Images have their channels last. Of a composite observation: that of the vector."""
    dtype: str
    parts: list[Part]
    """What the vector is made of, where the environment's own observations are composite."""


class PolicyAction(ReadModel):
    """The environment's own actions: what `predict` gives."""

    kind: Literal["box", "discrete", "multi_discrete"]
    dtype: str
    shape: list[int]
    low: list[float]
    """Bounds of each component of a continuous action, flat."""
    high: list[float]
    n: int | None
    """How many discrete ones there are, and the first of them."""
    start: int | None
    counts: list[int]
    """How many values each choice has, and the first of each, where an action is several choices."""
    starts: list[int]


class PolicyReturn(ReadModel):
    mean: Real
    low: Real | None
    """Ends of the 95 % interval; none for a single episode."""
    high: Real | None
    episodes: int


class PolicyAncestor(ReadModel):
    """A stretch of life that the policy's weights went through."""

    span: int
    member: int
    step: int
    """Where it began."""
    operator: Operator
    hyperparams: Hyperparams


class PolicyProvenance(ReadModel):
    experiment: str
    run: int | None
    seed: int
    member: int | None
    """None for the mean that a search over weights moves."""
    span: int | None
    step: int
    evaluation: PolicyReturn | None
    """The latest in training, which selection saw."""
    final: PolicyReturn | None
    """In episodes that no selection saw."""
    ancestry: list[PolicyAncestor] | None
    """From its founder on; none where the trainer that ended the run lacked the beginning of its history."""


class PolicyCard(ReadModel):
    artifact_id: int
    bytes: int
    """Of the zip file."""
    format: str
    name: str
    algorithm: str
    environment: PolicyEnvironment
    observation: PolicyObservation
    action: PolicyAction
    distribution: Literal["point", "normal", "categorical", "greedy", "factored"]
    numbers: int
    """How many its weights are."""
    weights_sha256: str
    tolerance: float
    """By how much its forms may differ from the trainer's actions, on the scale [-1, 1]."""
    provenance: PolicyProvenance
    versions: dict[str, str]
