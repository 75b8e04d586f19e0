"""A lineage from what there is of a run: its spec, and the events that its trainer reported."""

from collections.abc import Sequence

from phylon.contract.events import Diverged, Lineage, RunEvent
from phylon.contract.lineage import Divergence, LineageSpan, RunLineage, Tuned
from phylon.spec import ExperimentSpec, bounds, scale, tuned
from phylon.spec.algorithms import names_of
from phylon.spec.when_read import when_read


def tuned_of(spec: ExperimentSpec) -> list[Tuned]:
    return [
        Tuned(
            name=name,
            scale=scale(prior),
            low=bounds(prior).low,
            high=bounds(prior).high,
            names=list(names) if (names := names_of(type(spec.algorithm), name)) else None,
            read=when_read(spec, name),
        )
        for name, prior in tuned(spec.algorithm).items()
    ]


def lineage_of_events(spec: ExperimentSpec, events: Sequence[RunEvent]) -> RunLineage:
    """In the form that the service answers with."""
    spans: list[LineageSpan] = []
    lives_in: dict[int, int] = {}
    for event in events:
        if isinstance(event, Lineage):
            for span in event.spans:
                if span.slot in lives_in:
                    replaced = lives_in[span.slot]
                    spans[replaced] = spans[replaced].model_copy(update={"end_step": event.step})
                lives_in[span.slot] = len(spans)
                spans.append(
                    LineageSpan(
                        **dict(span), start_step=event.step, end_step=None, start_wall=event.wall, diverged=None
                    )
                )
        elif isinstance(event, Diverged):
            where = lives_in[event.member]
            divergence = Divergence(step=event.step, metric=event.metric, value=event.value)
            spans[where] = spans[where].model_copy(update={"diverged": divergence})
    return RunLineage(
        population_size=spec.population.size,
        end_step=events[-1].step if events else 0,
        tuned=tuned_of(spec),
        spans=spans,
    )
