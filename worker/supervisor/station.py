"""One worker's part of a gang, as its supervisor sees it.

The processes find each other through a file in the run directory. Here each has a directory of its own, so the
supervisors carry that file: rank 0's reads where its process listens and tells the service, the others write what they
hear into the directories of theirs. What a process leaves in its directory (blocks of checkpoints, films of its
members) is sent to the service from there.
"""

import socket
import threading
from collections import deque
from pathlib import Path

from phylon.contract.protocol import Claim, GangNews, LeftReason, Meeting, RankReport
from phylon.contract.vocabulary import RankPhase
from phylon.launch import Launch
from phylon.run_directory import (
    checkpoint_file,
    checkpoint_records,
    checkpoints_dir,
    file_sha256,
    read_pace,
    video_step,
    videos_dir,
)
from phylon.worker.gang import meeting
from phylon.worker.supervisor.logs import LogBuffer
from phylon.worker.supervisor.service import Service
from phylon.worker.supervisor.upload import FileToSend, Upload


def folder_name(claim: Claim) -> str:
    """A worker may have several ranks of a gang."""
    rank = claim.seat.rank if claim.seat else 0
    return f"{claim.job_id}.{rank}" if rank else str(claim.job_id)


def job_of(name: str) -> int | None:
    """Whose folder has this name."""
    job_id, _, rank = name.partition(".")
    return int(job_id) if job_id.isdecimal() and (not rank or rank.isdecimal()) else None


class Station:
    """Changed by the thread that watches the process; asked by the relay, which has one of its own."""

    def __init__(self, service: Service, claim: Claim, folder: Path, logs: LogBuffer) -> None:
        assert claim.seat is not None
        self._service, self._claim, self._folder, self._logs = service, claim, folder, logs
        self._rank = claim.seat.rank
        self.launch = Launch(
            claim.seat.rank,
            claim.seat.size,
            f"job-{claim.job_id}-{claim.attempt}",
            command="resources.hosts: ",
            has_own_folder=True,
        )
        self._phase = RankPhase.PREPARING
        self._left: LeftReason | None = None
        self._meeting: Meeting | None = None
        self._has_passed_on = False
        self._told: tuple[RankPhase, Meeting | None, LeftReason | None] | None = None
        self.is_complete = threading.Event()
        """All have prepared."""
        self._seen: set[Path] = set()
        self._waiting: deque[FileToSend] = deque()
        self._upload: Upload | None = None

    @property
    def is_first(self) -> bool:
        return self._rank == 0

    def ready(self) -> None:
        """What lies in the directory now is known to the service."""
        self._seen = set(self._left_behind())
        self._phase = RankPhase.READY

    def begin(self) -> None:
        self._phase = RankPhase.TRAINING

    def end(self, left: LeftReason | None) -> None:
        """The process has ended in order. `left`: where this worker wanted that."""
        self._left, self._phase = left, RankPhase.ENDED

    def report(self) -> RankReport:
        phase, meeting, left = self._news()
        return RankReport(
            rank=self._rank,
            phase=phase,
            host=socket.gethostname()[:200],
            meeting=meeting,
            seconds_per_segment=read_pace(self._folder),
            left=left,
        )

    def _news(self) -> tuple[RankPhase, Meeting | None, LeftReason | None]:
        """What is told at once when it changes."""
        return self._phase, self._meeting if self.is_first else None, self._left

    @property
    def has_news(self) -> bool:
        """To tell."""
        return self._told != self._news()

    @property
    def awaits_news(self) -> bool:
        """Then the service is asked again soon."""
        return self._phase == RankPhase.READY or (self._phase == RankPhase.TRAINING and self._meeting is None)

    def told(self, report: RankReport, news: GangNews | None) -> None:
        """The service has heard the report, and this is what it knows of the others."""
        self._told = report.phase, report.meeting, report.left
        if news is None:
            return
        if news.is_complete:
            self.is_complete.set()
        if not self.is_first and news.meeting is not None:
            self._meeting = news.meeting

    def look(self) -> bool:
        """Carries on what there is to be carried; to be called again and again. Whether nothing is left."""
        if not self._has_passed_on:
            self._pass_on()
        if self.is_first:
            return True  # what it leaves the relay sends, with the events that name it
        for path in self._left_behind():
            if path not in self._seen:
                self._seen.add(path)
                self._waiting.extend(self._describe(path))
        if self._upload is not None and self._upload.is_done():
            self._upload = None
        if self._upload is None and self._waiting:
            self._upload = Upload(self._service, self._claim, self._waiting.popleft(), self._logs)
        return self._upload is None

    def close(self) -> None:
        if self._upload is not None:
            self._upload.cancel()

    def _pass_on(self) -> None:
        if self.is_first:
            found = meeting.look(self._folder, self.launch)
            if found is not None:
                self._meeting = Meeting(host=found.host, address=found.address)
                self._has_passed_on = True
        elif self._meeting is not None:
            meeting.leave(self._folder, self.launch, self._meeting.host, self._meeting.address)
            self._has_passed_on = True

    def _left_behind(self) -> list[Path]:
        """Records come last, when a checkpoint is whole on all hosts."""
        return sorted([*checkpoints_dir(self._folder).glob("*.json"), *videos_dir(self._folder).glob("*.mp4")])

    def _describe(self, path: Path) -> list[FileToSend]:
        if path.suffix == ".mp4":
            return [FileToSend("video", path, video_step(path), file_sha256(path))]
        for record in checkpoint_records(self._folder):
            own = checkpoint_file(record.number, self._rank)
            if f"{record.number:06d}" == path.stem:
                return [
                    FileToSend("checkpoint", path.with_name(own), record.step, block.sha256)
                    for block in record.blocks
                    if block.file == own
                ]
        return []
