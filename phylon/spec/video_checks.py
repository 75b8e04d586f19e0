"""What `videos` may ask for depends on the evaluation, the population and the environment."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phylon.catalogue import find
from phylon.spec.problems import Problem, showable

if TYPE_CHECKING:
    from phylon.spec.experiment import ExperimentSpec


def videos_follow_evaluation(spec: "ExperimentSpec") -> Iterator[Problem]:
    """What is filmed is an episode that members were just judged by."""
    if spec.videos is None:
        return
    interval, evaluation = spec.videos.interval, spec.evaluation.interval
    if interval % evaluation:
        yield Problem(
            path="videos.interval",
            value=interval,
            message=f"not a multiple of evaluation.interval ({evaluation}), and films are made at evaluations",
            remedy=f"use {max(evaluation, round(interval / evaluation) * evaluation)}, or change evaluation.interval",
        )


def films_have_an_even_width(spec: "ExperimentSpec") -> Iterator[Problem]:
    """Colour is stored for squares of 2 x 2 pixels."""
    if spec.videos is not None and spec.videos.width % 2:
        width = spec.videos.width
        yield Problem(
            path="videos.width", value=width, message="not an even number", remedy=f"use {width - 1} or {width + 1}"
        )


def filmed_members_exist(spec: "ExperimentSpec") -> Iterator[Problem]:
    if spec.videos is None or isinstance(spec.videos.members, str):
        return
    members, size = spec.videos.members, spec.population.size
    for member in members:
        if member >= size:
            yield Problem(
                path="videos.members",
                value=member,
                message=f"the population has {size} members",
                remedy=f"use numbers from 0 to {size - 1}, best, or all",
            )
    if len(set(members)) < len(members):
        yield Problem(
            path="videos.members",
            value=showable(members),
            message="a member is named twice",
            remedy="name each member once",
        )


def filmed_environment_has_looks(spec: "ExperimentSpec") -> Iterator[Problem]:
    entry = find(spec.environment.suite, spec.environment.id)
    if spec.videos is not None and entry is not None and not entry.has_looks:
        yield Problem(
            path="videos",
            value=showable(spec.videos.model_dump(mode="json")),
            message=f"{entry.id} of suite '{entry.suite}' cannot be drawn",
            remedy="leave videos out, or choose an environment that can, e.g. of suite gymnasium",
        )


VIDEO_CHECKS = (
    videos_follow_evaluation,
    films_have_an_even_width,
    filmed_members_exist,
    filmed_environment_has_looks,
)
