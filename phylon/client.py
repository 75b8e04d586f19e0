"""The service from Python: submit experiments, follow them, and fetch what they found.

from phylon import Client

with Client() as phylon:
    experiment = phylon.submit("td3.yaml")
    for message in phylon.watch(experiment.runs[0].id):
        print(message)
    returns = phylon.metrics(experiment.runs[0].id, ["evaluation/return"])["evaluation/return"].values
"""

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast, overload

import yaml
from httpx_sse import EventSource, ServerSentEvent
from pydantic import BaseModel, ValidationError

from phylon.contract.advice import Advice
from phylon.contract.artifacts import Artifact
from phylon.contract.base import Page
from phylon.contract.catalogue import Algorithm, Environment, Method, Preset, Suite
from phylon.contract.events import EVENT_KINDS, RunEvent, run_event
from phylon.contract.experiments import Experiment, ExperimentSummary
from phylon.contract.groups import ExperimentGroup, GroupSummary
from phylon.contract.health import Health
from phylon.contract.lineage import Ancestry, LineageSummary, RunLineage, Schedule
from phylon.contract.logs import LoggedLine
from phylon.contract.metrics import MetricSeries, RunMetrics
from phylon.contract.runs import Run
from phylon.contract.specs import SpecReport
from phylon.contract.stream import Rewind
from phylon.contract.studies import StoredStudy, StudySummary
from phylon.contract.vocabulary import ExperimentStatus
from phylon.contract.workers import Worker
from phylon.errors import ApiError, PhylonUnreachable
from phylon.series import Series
from phylon.spec import (
    ExperimentSpec,
    Group,
    RuntimeStudySpec,
    SpecInvalid,
    group_to_yaml,
    read_yaml,
    spec_to_json,
    spec_to_yaml,
    study_to_yaml,
)
from phylon.transport import Transport

if TYPE_CHECKING:
    from phylon.export.formats import Format, TableName

DEFAULT_URL = "http://127.0.0.1:8787"

SpecSource = ExperimentSpec | Group | Mapping[str, Any] | str | Path
"""A spec or a group of them, plain data, YAML text, or the path of a YAML file."""

ResultType = TypeVar("ResultType", bound=BaseModel)
Item = TypeVar("Item")


class Client:
    """A connection to the service at `url`, by default PHYLON_API_URL, or else `phylon up` on this machine."""

    def __init__(self, url: str | None = None, timeout: float = 30.0) -> None:
        self._transport = Transport(url or os.environ.get("PHYLON_API_URL") or DEFAULT_URL, timeout)

    @property
    def url(self) -> str:
        return self._transport.url

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def health(self) -> Health:
        return self._get("/health", Health)

    def presets(self) -> list[Preset]:
        return self._list("/presets", Preset)

    def environments(self, suite: str | None = None, search: str | None = None) -> list[Environment]:
        return self._list("/catalogue", Environment, page_size=10_000, suite=suite, search=search)

    def algorithms(self) -> list[Algorithm]:
        """With their hyper-parameters and recommended search spaces; plug-ins of the service among them."""
        return self._list("/algorithms", Algorithm)

    def methods(self) -> list[Method]:
        return self._list("/methods", Method)

    def suites(self) -> list[Suite]:
        return self._list("/suites", Suite)

    def workers(self) -> list[Worker]:
        return self._list("/workers", Worker)

    def validate(self, source: SpecSource) -> SpecReport:
        """What is wrong with a spec, or what it will ask for; nothing is stored."""
        answer = self._transport.request("POST", "/specs/validate", json={"yaml": _as_yaml(source)})
        return self._read(SpecReport, answer)

    def advice(self, source: SpecSource) -> Advice:
        """How many members each worker can hold, and what one more costs by the stored runtime studies."""
        return self._read(Advice, self._transport.request("POST", "/specs/advice", json={"yaml": _as_yaml(source)}))

    @overload
    def submit(self, source: ExperimentSpec) -> Experiment: ...
    @overload
    def submit(self, source: Group) -> ExperimentGroup: ...
    @overload
    def submit(self, source: SpecSource) -> Experiment | ExperimentGroup: ...
    def submit(self, source: SpecSource) -> Experiment | ExperimentGroup:
        """Puts an experiment, or all those of a group, into the queue.

        Raises `SpecInvalid` when it is refused; then nothing is stored.
        """
        body = _as_body(source)
        if _is_group(body):
            return self._read(ExperimentGroup, self._transport.create("/groups", body))
        return self._read(Experiment, self._transport.create("/experiments", body))

    def experiments(
        self,
        search: str | None = None,
        status: ExperimentStatus | None = None,
        group: int | None = None,
        limit: int | None = None,
    ) -> list[ExperimentSummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/experiments", ExperimentSummary, limit, search=search, status=status, group=group)

    def submit_study(self, source: RuntimeStudySpec | str | Path, worker_id: int | None = None) -> StoredStudy:
        """Puts a runtime study into the queue, for any worker or for one."""
        text = study_to_yaml(source) if isinstance(source, RuntimeStudySpec) else _text(source)
        return self._read(StoredStudy, self._transport.create("/studies", {"yaml": text, "worker_id": worker_id}))

    def upload_study(self, file: Path) -> StoredStudy:
        """Stores what `phylon study` measured: its `study.jsonl`."""
        content = file.read_text(encoding="utf-8")
        return self._read(StoredStudy, self._transport.create("/studies/upload", {"content": content}))

    def studies(self, limit: int | None = None) -> list[StudySummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/studies", StudySummary, limit)

    def study(self, id: int) -> StoredStudy:
        return self._get(f"/studies/{id}", StoredStudy)

    def stop_study(self, id: int) -> StoredStudy:
        """What it has measured by then is kept."""
        return self._read(StoredStudy, self._transport.request("POST", f"/studies/{id}/stop"))

    def delete_study(self, id: int) -> None:
        self._transport.request("DELETE", f"/studies/{id}")

    def experiment(self, id: int) -> Experiment:
        return self._get(f"/experiments/{id}", Experiment)

    def stop(self, experiment_id: int) -> Experiment:
        """Asks every run of the experiment to stop at its next segment, with a checkpoint."""
        return self._read(Experiment, self._transport.request("POST", f"/experiments/{experiment_id}/stop"))

    def delete(self, experiment_id: int) -> None:
        """Forgets an experiment that no longer runs, and everything that belongs to it."""
        self._transport.request("DELETE", f"/experiments/{experiment_id}")

    def groups(self, limit: int | None = None) -> list[GroupSummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/groups", GroupSummary, limit)

    def group(self, id: int) -> ExperimentGroup:
        return self._get(f"/groups/{id}", ExperimentGroup)

    def stop_group(self, id: int) -> ExperimentGroup:
        """Asks every run of every experiment of the group to stop at its next segment, with a checkpoint."""
        return self._read(ExperimentGroup, self._transport.request("POST", f"/groups/{id}/stop"))

    def delete_group(self, id: int) -> None:
        """Forgets a group that no longer runs, with its experiments and everything that belongs to them."""
        self._transport.request("DELETE", f"/groups/{id}")

    def run(self, id: int) -> Run:
        return self._get(f"/runs/{id}", Run)

    def stop_run(self, id: int) -> Run:
        return self._read(Run, self._transport.request("POST", f"/runs/{id}/stop"))

    def metric_names(self, run_id: int) -> list[str]:
        return self._list(f"/runs/{run_id}/metrics/names", str, page_size=10_000)

    def metrics(self, run_id: int, names: Iterable[str] | None = None, points: int = 100_000) -> dict[str, Series]:
        """Metrics of a run as arrays, by name; all of them when `names` is not given."""
        wanted = list(names) if names is not None else self.metric_names(run_id)
        if not wanted:
            return {}
        answer = self._get(f"/runs/{run_id}/metrics", RunMetrics, name=wanted, points=points)
        return {series.name: _series(series) for series in answer.series}

    def lineage(self, run_id: int) -> RunLineage:
        return self._get(f"/runs/{run_id}/lineage", RunLineage)

    def lineage_summary(self, run_id: int) -> LineageSummary:
        """Founders alive, the winner and its ancestry, what each operator gained."""
        return self._get(f"/runs/{run_id}/lineage/summary", LineageSummary)

    def ancestry(self, run_id: int, span: int) -> Ancestry:
        """How a span of the lineage came about, whether its member lives or not."""
        return self._get(f"/runs/{run_id}/lineage/spans/{span}/ancestry", Ancestry)

    def schedule(self, run_id: int, span: int | None = None) -> Schedule:
        """The hyper-parameters that the ancestors of a span lived through; without `span`, of the best member."""
        path = f"/runs/{run_id}/schedule" if span is None else f"/runs/{run_id}/lineage/spans/{span}/schedule"
        return self._get(path, Schedule)

    def export(self, run_id: int, table: "TableName", format: "Format") -> Iterator[bytes]:
        """A run's metrics or lineage as a CSV or Parquet file with every value, piece by piece."""
        with self._transport.stream(f"/runs/{run_id}/export/{table}.{format}") as answer:
            yield from answer.iter_bytes()

    def logs(self, run_id: int, attempt: int | None = None, follow: bool = False) -> Iterator[LoggedLine]:
        """What trainer and supervisor printed; with `follow`, until the run ends."""
        return self._logs(f"/runs/{run_id}", attempt, lambda: not follow or self.run(run_id).ended)

    def study_logs(self, study_id: int, attempt: int | None = None) -> Iterator[LoggedLine]:
        """What the study's process and its supervisor printed."""
        return self._logs(f"/studies/{study_id}", attempt, lambda: True)

    def _logs(self, path: str, attempt: int | None, has_ended: Callable[[], bool]) -> Iterator[LoggedLine]:
        after: str | None = None
        while True:
            ended = has_ended()  # asked first, so that the last lines are surely there
            page = self._page(f"{path}/logs", LoggedLine, attempt=attempt, after=after, limit=1000)
            yield from page.items
            after = page.next
            if not page.items:
                if ended:
                    return
                time.sleep(1.0)

    def artifacts(self, run_id: int) -> list[Artifact]:
        return self._list(f"/runs/{run_id}/artifacts", Artifact)

    def download(self, artifact: Artifact, folder: str | Path = ".") -> Path:
        """Fetches a file of a run into `folder` and checks its hash. Returns where it lies."""
        target = Path(folder) / Path(artifact.name).name
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(target.name + ".part")
        digest = hashlib.sha256()
        try:
            with self._transport.stream(f"/artifacts/{artifact.id}/content") as answer, partial.open("wb") as file:
                for chunk in answer.iter_bytes():
                    digest.update(chunk)
                    file.write(chunk)
            if digest.hexdigest() != artifact.sha256:
                raise ApiError(502, f"{artifact.name} arrived damaged.", "Download it again.")
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return target

    def watch(self, run_id: int, after: str | None = None, patience: float = 60.0) -> Iterator[RunEvent | Rewind | Run]:
        """What happens in a run, from its beginning (or after that message id) until it ends.

        Yields its events; a `Run` whenever status or progress changes; and a `Rewind` when history was cut back because
        the run resumed from a checkpoint: forget every event numbered `seq` or above. A lost connection is taken up
        again where it broke; when the service stays away for `patience` seconds, `PhylonUnreachable` is raised.
        """
        position, status = after, None
        lost_since: float | None = None
        while not self._transport.closed:
            headers = {"Last-Event-ID": position} if position else {}
            try:
                with self._transport.stream(f"/runs/{run_id}/events", headers) as answer:
                    lost_since = None
                    for message in EventSource(answer).iter_sse():
                        position = message.id or position
                        said = _understand(message)
                        if said is None:
                            continue
                        if isinstance(said, Run):
                            status = said
                        yield said
                # The service ends a stream in order once the run has ended and all of its history was sent.
                if status is not None and status.ended:
                    return
            except (PhylonUnreachable, ApiError) as error:
                if self._transport.closed:
                    return
                if isinstance(error, ApiError) and error.status < 500:
                    raise
                lost_since = lost_since or time.monotonic()
                if time.monotonic() - lost_since > patience:
                    raise
            time.sleep(0.5)

    def _get(self, path: str, kind: type[ResultType], **params: Any) -> ResultType:
        return self._read(kind, self._transport.request("GET", path, params))

    def _list(
        self, path: str, kind: type[Item], limit: int | None = None, page_size: int = 500, **params: Any
    ) -> list[Item]:
        """The items of a list, page after page: all, or at most `limit`."""
        items: list[Item] = []
        after: str | None = None
        while limit is None or len(items) < limit:
            wanted = page_size if limit is None else min(page_size, limit - len(items))
            page = self._page(path, kind, limit=wanted, after=after, **params)
            items += page.items
            after = page.next
            if after is None:
                break
        return items

    def _page(self, path: str, kind: type[Item], **params: Any) -> Page[Item]:
        return self._get(path, cast(type[Page[Item]], Page[cast(Any, kind)]), **params)

    def _read(self, kind: type[ResultType], answer: Any) -> ResultType:
        try:
            return kind.model_validate(answer, extra="ignore")  # a newer service may say more
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ApiError(
                502,
                f"{self.url} did not answer as this Phylon expects ({kind.__name__} {where}: {first['msg']}).",
                "Use the same version of Phylon here and there, and check PHYLON_API_URL.",
            ) from None


def _understand(message: ServerSentEvent) -> RunEvent | Rewind | Run | None:
    match message.event:
        case "rewind":
            return Rewind.model_validate_json(message.data, extra="ignore")
        case "status":
            return Run.model_validate_json(message.data, extra="ignore")
        case kind if kind in EVENT_KINDS:
            return run_event.validate_json(message.data, extra="ignore")
        case _:  # a kind that a newer service sends
            return None


def _as_body(source: SpecSource) -> dict[str, Any]:
    if isinstance(source, ExperimentSpec):
        return {"spec": spec_to_json(source)}
    if isinstance(source, Group):
        return {"spec": source.spec.model_dump(mode="json")}
    if isinstance(source, Mapping):
        return {"spec": dict(source)}
    return {"yaml": _text(source)}


def _is_group(body: Mapping[str, Any]) -> bool:
    """A text that cannot be read is for the service to refuse."""
    try:
        document = body["spec"] if "spec" in body else read_yaml(body["yaml"])
    except SpecInvalid:
        return False
    return isinstance(document, dict) and cast(dict[str, Any], document).get("kind") == "group"


def _as_yaml(source: SpecSource) -> str:
    if isinstance(source, ExperimentSpec):
        return spec_to_yaml(source)
    if isinstance(source, Group):
        return group_to_yaml(source)
    if isinstance(source, Mapping):
        return yaml.safe_dump(dict(source), sort_keys=False)
    return _text(source)


def _text(source: str | Path) -> str:
    """YAML has several lines; anything shorter names a file."""
    if isinstance(source, str) and "\n" in source:
        return source
    return Path(source).read_text(encoding="utf-8")


def _series(series: MetricSeries) -> Series:
    import numpy as np  # here, so that a script that only submits starts quickly

    return Series(
        steps=np.asarray(series.steps, dtype=np.int64),
        wall=np.asarray(series.wall, dtype=np.float64),
        values=np.asarray(series.values, dtype=np.float64),
    )
