"""Evaluations: saved policies in fresh episodes on a worker, and what they earned there."""

from typing import Annotated, Literal

from pydantic import Field

from phylon.contract.base import ReadModel, Request
from phylon.contract.experiments import Submission
from phylon.contract.payloads import PayloadSummary
from phylon.spec.resources import ResourcesSpec

MOST_POLICIES, MOST_EPISODES, MOST_FILMS = 16, 1000, 10
LARGEST_SEED = 2**31 - 1

Finite = Annotated[float, Field(allow_inf_nan=False)]
Slot = Annotated[int, Field(ge=0, lt=4096)]


class PolicyChoice(Request):
    """Whose policy is to play. Without member and step, the one that the run left; everyone else's is made of a
    checkpoint that the service keeps."""

    run: Annotated[int, Field(ge=1, lt=2**63)]
    member: Literal["best", "mean"] | Slot = "best"
    """By fitness, the mean of a search over weights (CEM-RL), or the member in a slot."""
    step: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """Of the checkpoint; without it the newest."""


class EvaluationRequest(Submission):
    """Every policy plays the same episodes, as `phylon play` with this seed plays them."""

    policies: Annotated[list[PolicyChoice], Field(min_length=1, max_length=MOST_POLICIES)]
    episodes: Annotated[int, Field(ge=1, le=MOST_EPISODES)] = 10
    """Of each policy."""
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] | None = None
    """Of the episodes; without it a fresh one, which is recorded."""
    environment: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[\w./:-]+$")] | None = None
    """Another one with the same spaces: an id of the same suite, `suite:id`, or `my_package:MyEnv-v0`."""
    sample: bool | None = None
    """Draw actions, or take the likeliest; without it as each policy's run was evaluated."""
    films: Annotated[int, Field(ge=0, le=MOST_FILMS)] = 0
    """How many of the first episodes of each policy are filmed."""
    resources: ResourcesSpec = ResourcesSpec()
    project: str | None = None
    """The name of the project that it is for; without it that of the first policy's run."""


class PlayedEpisodes(ReadModel):
    """One number for each episode, in order."""

    returns: list[Finite]
    lengths: list[int]


class PlayedSummary(ReadModel):
    mean: float
    low: float | None
    """Ends of the mean's 95 % interval by Student's t; none for a single episode."""
    high: float | None
    smallest: float
    largest: float
    length: float
    """Steps of an episode, on average."""
    episodes: int


class PlayedDifference(ReadModel):
    """By how much it earned more than the first policy, episode by episode: both played the same ones."""

    mean: float
    low: float | None
    """Ends of the mean's 95 % interval; none for a single episode."""
    high: float | None


class LoadedPolicy(ReadModel):
    """What its worker found when it took up the policy."""

    environment: str
    """Where it plays, as `suite:id`."""
    deterministic: bool
    """Whether it takes its likeliest action, or draws."""
    member: int | None
    """None for the mean of a search."""
    step: int
    """Of its run, when its weights were saved."""
    weights_sha256: str


class EvaluationFilm(ReadModel):
    id: int
    """Of its artifact."""
    name: str
    bytes: int
    sha256: str
    episode: int
    """From 0; the same episode that was counted."""
    episode_return: Finite
    episode_steps: int
    ended: bool
    """Whether the episode came to its end, or the film was cut before it."""


class EvaluatedPolicy(ReadModel):
    run_id: int | None
    """None where it was deleted, or is not for the reader to see."""
    name: str
    """Of its experiment."""
    choice: str
    """`best`, `mean` or the number of a slot."""
    step: int
    """Of its run, where the file with its weights is from."""
    loaded: LoadedPolicy | None
    """None before a worker has taken it up."""
    summary: PlayedSummary | None
    """Of the episodes so far."""
    difference: PlayedDifference | None
    """From the first policy; none where that plays in another environment."""
    films: list[EvaluationFilm]
    film_problem: str | None
    """Why there is no film, or none of all that were asked for."""


class EvaluationSummary(PayloadSummary):
    environment: str | None
    """As it was asked for; None where each policy plays where it was trained."""
    episodes: int
    seed: int
    sample: bool | None
    wanted_films: int
    """Of each policy."""
    done: int
    total: int
    """Episodes of all policies."""
    policies: list[EvaluatedPolicy]


class StoredEvaluation(EvaluationSummary):
    played: list[PlayedEpisodes]
    """Of each policy."""
