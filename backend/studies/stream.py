"""Follows a study for as long as somebody listens. A reader that was away simply hears it from the first cell again."""

from collections.abc import AsyncIterator
from typing import NamedTuple

import anyio.to_thread
from fastapi.sse import ServerSentEvent

from phylon.backend.context import Context
from phylon.backend.events.stream import wait
from phylon.backend.runs.status import ACTIVE
from phylon.backend.studies import repository, service
from phylon.contract.studies import StudyUpdate


class Known(NamedTuple):
    """What a reader has heard: so many cells, as of an attempt. A new attempt may tell them anew."""

    attempt: int
    cells: int


async def follow(context: Context, study_id: int) -> AsyncIterator[ServerSentEvent]:
    """Ends when the study has ended and all of it was sent."""
    known, told = Known(0, 0), ""
    with context.doorbell.watch(f"study {study_id}") as rung:
        while True:
            rung.clear()
            found = await anyio.to_thread.run_sync(_look, context, study_id, known)
            if found is None:
                return  # deleted while somebody watched
            known, news = found
            message = news.model_dump_json()
            if message != told:
                yield ServerSentEvent(event="study", raw_data=message)
            if news.status not in ACTIVE:
                return
            # what the next message would be if nothing happened
            told = news.model_copy(update={"position": known.cells, "measurements": []}).model_dump_json()
            await wait(rung)


def _look(context: Context, study_id: int, known: Known) -> tuple[Known, StudyUpdate] | None:
    with context.database.read() as session:
        study = repository.find(session, study_id)
        if study is None:
            return None
        position = known.cells if study.attempt == known.attempt and study.done >= known.cells else 0
        news = service.news(session, study, position)
        return Known(study.attempt, position + len(news.measurements)), news
