"""The service from Python: submit experiments, follow them, and fetch what they found.

from phylon import Client

with Client() as phylon:
    experiment = phylon.submit("td3.yaml")
    for message in phylon.watch(experiment.runs[0].id):
        print(message)
    returns = phylon.metrics(experiment.runs[0].id, ["evaluation/return"])["evaluation/return"].values
"""

import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload
from urllib.parse import urlencode

import yaml
from httpx_sse import EventSource

from phylon.comparisons_client import ComparisonsClient
from phylon.contract.advice import Advice
from phylon.contract.artifacts import Artifact
from phylon.contract.catalogue import Algorithm, Environment, Method, Preset, Suite
from phylon.contract.evaluations import EvaluationFilm
from phylon.contract.events import EVENT_KINDS, RunEvent, run_event
from phylon.contract.experiments import (
    BulkAction,
    BulkReport,
    Experiment,
    ExperimentChange,
    ExperimentRow,
    FieldDescription,
    ValueCount,
)
from phylon.contract.explanations import Explanation
from phylon.contract.groups import ExperimentGroup, GroupSummary
from phylon.contract.health import Health
from phylon.contract.lineage import Ancestry, LineageSummary, RunLineage, Schedule
from phylon.contract.logs import LoggedLine
from phylon.contract.metrics import MetricSeries, RunMetrics
from phylon.contract.policies import PolicyCard
from phylon.contract.runs import Run
from phylon.contract.specs import SpecReport, SpecSchema
from phylon.contract.stream import Rewind
from phylon.contract.studies import StoredStudy, StudySummary
from phylon.contract.views import NewView, SavedView, ViewChange
from phylon.contract.vocabulary import ExperimentStatus, Priority
from phylon.contract.webhooks import (
    CreatedWebhook,
    Delivery,
    NewWebhook,
    Webhook,
    WebhookChange,
    WebhookEvent,
    WebhookFormat,
)
from phylon.errors import ApiError, NotFound, PhylonUnreachable
from phylon.evaluations_client import EvaluationsClient
from phylon.forks_client import ForksClient
from phylon.frames_client import FramesClient
from phylon.imports_client import ImportsClient
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
from phylon.work_client import WorkClient

if TYPE_CHECKING:
    from phylon.export.formats import Format, TableName

SpecSource = ExperimentSpec | Group | Mapping[str, Any] | str | Path
"""A spec or a group of them, plain data, YAML text, or the path of a YAML file."""


class Client(WorkClient, ComparisonsClient, ForksClient, EvaluationsClient, ImportsClient, FramesClient):
    """A connection to the service at `url`: by default PHYLON_API_URL, else where `phylon login` signed in, else
    `phylon up` on this machine. `token` is by default PHYLON_TOKEN, else what `phylon login` stored for the address."""

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

    def webhooks(self) -> list[Webhook]:
        """Those of the projects that one administers."""
        return self._list("/webhooks", Webhook)

    def create_webhook(
        self,
        address: str,
        events: Iterable[WebhookEvent],
        format: WebhookFormat = WebhookFormat.JSON,
        project_id: int = 1,
    ) -> CreatedWebhook:
        """Has `address` called when something happens. Keep the answer's secret: it is not shown again."""
        body = NewWebhook(project_id=project_id, url=address, events=list(events), format=format)
        return self._read(CreatedWebhook, self._transport.create("/webhooks", body.model_dump(mode="json")))

    def change_webhook(self, webhook_id: int, change: WebhookChange) -> Webhook:
        body = change.model_dump(mode="json", exclude_none=True)
        return self._read(Webhook, self._transport.request("PATCH", f"/webhooks/{webhook_id}", json=body))

    def delete_webhook(self, webhook_id: int) -> None:
        self._transport.request("DELETE", f"/webhooks/{webhook_id}")

    def test_webhook(self, webhook_id: int) -> Delivery:
        """Sends it a message soon; see `deliveries`."""
        return self._read(Delivery, self._transport.request("POST", f"/webhooks/{webhook_id}/test"))

    def deliveries(self, webhook_id: int, limit: int | None = None) -> list[Delivery]:
        """What was, or is to be, sent to a webhook, the newest first."""
        return self._list(f"/webhooks/{webhook_id}/deliveries", Delivery, limit)

    def validate(self, source: SpecSource) -> SpecReport:
        """What is wrong with a spec, or what it will ask for; nothing is stored."""
        answer = self._transport.request("POST", "/specs/validate", json={"yaml": _as_yaml(source)})
        return self._read(SpecReport, answer)

    def spec_schema(self) -> SpecSchema:
        """What a spec may say: the JSON schema of an experiment, and its short forms."""
        return self._read(SpecSchema, self._transport.request("GET", "/specs/schema"))

    def advice(self, source: SpecSource) -> Advice:
        """How many members each worker can hold, and what one more costs by the stored runtime studies."""
        return self._read(Advice, self._transport.request("POST", "/specs/advice", json={"yaml": _as_yaml(source)}))

    @overload
    def submit(
        self,
        source: ExperimentSpec,
        project: str | None = ...,
        priority: Priority = ...,
        wait_for_worker: bool = ...,
    ) -> Experiment: ...
    @overload
    def submit(
        self, source: Group, project: str | None = ..., priority: Priority = ..., wait_for_worker: bool = ...
    ) -> ExperimentGroup: ...
    @overload
    def submit(
        self, source: SpecSource, project: str | None = ..., priority: Priority = ..., wait_for_worker: bool = ...
    ) -> Experiment | ExperimentGroup: ...
    def submit(
        self,
        source: SpecSource,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> Experiment | ExperimentGroup:
        """Puts an experiment, or all those of a group, into the queue, of a project or of one's first.

        Raises `SpecInvalid` when it is refused; then nothing is stored. What no worker that is known could execute is
        refused too, unless it is to wait for one that can.
        """
        body = _as_body(source) | {"project": project, "priority": priority, "wait_for_worker": wait_for_worker}
        if _is_group(body):
            return self._read(ExperimentGroup, self._transport.create("/groups", body))
        return self._read(Experiment, self._transport.create("/experiments", body))

    def experiments(
        self,
        search: str | None = None,
        status: ExperimentStatus | None = None,
        group: int | None = None,
        limit: int | None = None,
        query: str | None = None,
        sort: str | None = None,
        columns: Iterable[str] = (),
    ) -> list[ExperimentRow]:
        """Those that match: all, or at most `limit`; the newest first, or sorted by a column.

        `query` is like `algorithm = td3 and env ~ cheetah and final > 3000`; `sort` names a column, `-final` the
        greatest first; `columns` are values of the spec or metrics that the rows are to have.
        """
        asked: dict[str, Any] = {"search": search, "status": status, "group": group, "query": query, "sort": sort}
        return self._list("/experiments", ExperimentRow, limit, **asked, column=list(columns))

    def fields(self) -> list[FieldDescription]:
        """What a query may ask about, and a table may show and sort by."""
        return self._list("/experiments/fields", FieldDescription, page_size=10_000)

    def count_experiments(self, by: str, query: str | None = None) -> list[ValueCount]:
        """How many experiments have each value of a column, the most frequent first."""
        return self._list("/experiments/counts", ValueCount, by=by, query=query)

    def change_experiment(self, experiment_id: int, change: ExperimentChange) -> Experiment:
        """Its name, notes or tags, and whether it is archived."""
        body = change.model_dump(mode="json", exclude_none=True)
        return self._read(Experiment, self._transport.request("PATCH", f"/experiments/{experiment_id}", json=body))

    def star_experiment(self, experiment_id: int, starred: bool = True) -> Experiment:
        """For oneself alone."""
        body = {"starred": starred}
        return self._read(Experiment, self._transport.request("PUT", f"/experiments/{experiment_id}/star", json=body))

    def act_on_experiments(self, ids: Iterable[int], action: BulkAction, tag: str | None = None) -> BulkReport:
        """One action on several experiments, each for itself."""
        body = {"ids": list(ids), "action": action, "tag": tag}
        return self._read(BulkReport, self._transport.request("POST", "/experiments/bulk", json=body))

    def views(self) -> list[SavedView]:
        """One's own, and those of one's projects."""
        return self._list("/views", SavedView)

    def create_view(self, view: NewView) -> SavedView:
        return self._read(SavedView, self._transport.create("/views", view.model_dump(mode="json")))

    def change_view(self, view_id: int, change: ViewChange) -> SavedView:
        body = change.model_dump(mode="json", exclude_none=True)
        return self._read(SavedView, self._transport.request("PATCH", f"/views/{view_id}", json=body))

    def delete_view(self, view_id: int) -> None:
        self._transport.request("DELETE", f"/views/{view_id}")

    def submit_study(
        self,
        source: RuntimeStudySpec | str | Path,
        worker_id: int | None = None,
        project: str | None = None,
        priority: Priority = Priority.NORMAL,
        wait_for_worker: bool = False,
    ) -> StoredStudy:
        """Puts a runtime study into the queue, for any worker or for one."""
        text = study_to_yaml(source) if isinstance(source, RuntimeStudySpec) else _text(source)
        body = {
            **{"yaml": text, "worker_id": worker_id, "project": project},
            **{"priority": priority, "wait_for_worker": wait_for_worker},
        }
        return self._read(StoredStudy, self._transport.create("/studies", body))

    def upload_study(self, file: Path, project: str | None = None) -> StoredStudy:
        """Stores what `phylon study` measured: its `study.jsonl`."""
        content = file.read_text(encoding="utf-8")
        body = {"content": content, "project": project}
        return self._read(StoredStudy, self._transport.create("/studies/upload", body))

    def studies(self, limit: int | None = None) -> list[StudySummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/studies", StudySummary, limit)

    def study(self, id: int) -> StoredStudy:
        return self._get(f"/studies/{id}", StoredStudy)

    def delete_study(self, id: int) -> None:
        self._transport.request("DELETE", f"/studies/{id}")

    def experiment(self, id: int) -> Experiment:
        return self._get(f"/experiments/{id}", Experiment)

    def delete(self, experiment_id: int) -> None:
        """Forgets an experiment that no longer runs, and everything that belongs to it."""
        self._transport.request("DELETE", f"/experiments/{experiment_id}")

    def groups(self, limit: int | None = None) -> list[GroupSummary]:
        """The newest first: all, or at most `limit`."""
        return self._list("/groups", GroupSummary, limit)

    def group(self, id: int) -> ExperimentGroup:
        return self._get(f"/groups/{id}", ExperimentGroup)

    def delete_group(self, id: int) -> None:
        """Forgets a group that no longer runs, with its experiments and everything that belongs to them."""
        self._transport.request("DELETE", f"/groups/{id}")

    def run(self, id: int) -> Run:
        return self._get(f"/runs/{id}", Run)

    def metric_names(self, run_id: int) -> list[str]:
        return self._list(f"/runs/{run_id}/metrics/names", str, page_size=10_000)

    def metrics(
        self,
        run_id: int,
        names: Iterable[str] | None = None,
        points: int = 100_000,
        *,
        steps: tuple[int, int] | None = None,
        members: Iterable[int] = (),
    ) -> dict[str, Series]:
        """Metrics of a run as arrays, by name; all of them when `names` is not given.

        Of the whole run, or of the ticks from one step to another; of all members, or of some. Where there are more
        ticks than `points`, the values are means over buckets of ticks; `export` has every value of any run.
        """
        wanted = list(names) if names is not None else self.metric_names(run_id)
        if not wanted:
            return {}
        window = {} if steps is None else {"from_step": steps[0], "to_step": steps[1]}
        answer = self._get(
            f"/runs/{run_id}/metrics", RunMetrics, name=wanted, points=points, member=list(members), **window
        )
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

    def explanation(self, run_id: int) -> Explanation:
        """What its hyper-parameters were and did, which of them matter, and how much of selection was luck."""
        return self._get(f"/runs/{run_id}/explanation", Explanation)

    def export(self, run_id: int, table: "TableName", format: "Format") -> Iterator[bytes]:
        """A run's metrics or lineage as a CSV or Parquet file with every value, piece by piece."""
        with self._transport.stream(f"/runs/{run_id}/export/{table}.{format}") as answer:
            yield from answer.iter_bytes()

    def logs(
        self, run_id: int, attempt: int | None = None, follow: bool = False, rank: int | None = None
    ) -> Iterator[LoggedLine]:
        """What trainer and supervisor printed, of several hosts those of all or of one `rank`; with `follow`, until the
        run ends."""
        return self._logs(f"/runs/{run_id}", attempt, lambda: not follow or self.run(run_id).ended, rank)

    def study_logs(self, study_id: int, attempt: int | None = None) -> Iterator[LoggedLine]:
        """What the study's process and its supervisor printed."""
        return self._logs(f"/studies/{study_id}", attempt, lambda: True)

    def evaluation_logs(self, evaluation_id: int, attempt: int | None = None) -> Iterator[LoggedLine]:
        """What the evaluation's process and its supervisor printed."""
        return self._logs(f"/evaluations/{evaluation_id}", attempt, lambda: True)

    def _logs(
        self, path: str, attempt: int | None, has_ended: Callable[[], bool], rank: int | None = None
    ) -> Iterator[LoggedLine]:
        after: str | None = None
        while True:
            ended = has_ended()  # asked first, so that the last lines are surely there
            page = self._page(f"{path}/logs", LoggedLine, attempt=attempt, rank=rank, after=after, limit=1000)
            yield from page.items
            after = page.next
            if not page.items:
                if ended:
                    return
                time.sleep(1.0)

    def artifacts(self, run_id: int) -> list[Artifact]:
        return self._list(f"/runs/{run_id}/artifacts", Artifact)

    def download(self, artifact: Artifact | EvaluationFilm, folder: str | Path = ".") -> Path:
        """Fetches a file of a run, or a film of an evaluation, into `folder` and checks its hash.

        Returns where it lies.
        """
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

    def policy(self, run_id: int) -> PolicyCard:
        """What the winner's policy sees, does and comes from."""
        return self._get(f"/runs/{run_id}/policy", PolicyCard)

    def download_policy(self, run_id: int, folder: str | Path | None = None) -> Path:
        """Fetches the winner's policy, a zip file that `phylon.Policy.load` reads; without `folder`, into a new one."""
        stored = next((each for each in self.artifacts(run_id) if each.kind == "policy"), None)
        if stored is None:
            raise NotFound(
                404,
                f"Run {run_id} has no policy.",
                f"One is written when a run finishes; `phylon policy {run_id}` makes one of a checkpoint.",
            )
        return self.download(stored, folder or tempfile.mkdtemp(prefix="phylon-policy-"))

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
                        said = _understand(message.event, message.data)
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

    def watch_all(
        self, run_ids: Iterable[int], patience: float = 60.0
    ) -> Iterator[tuple[int, RunEvent | Rewind | Run | None]]:
        """What happens in many runs, over one connection, until all have ended: the number of a run and what `watch`
        would yield, or None for a run that was deleted or that you may not see."""
        waiting: dict[int, str] = dict.fromkeys(run_ids, "")
        lost_since: float | None = None
        while waiting and not self._transport.closed:
            query = urlencode({"runs": ",".join(map(str, waiting)), "after": ",".join(waiting.values())})
            try:
                with self._transport.stream(f"/events?{query}") as answer:
                    lost_since = None
                    for message in EventSource(answer).iter_sse():
                        said = json.loads(message.data)
                        run_id, content = said["id"], json.dumps(said["message"])
                        understood = _understand(message.event, content)
                        if understood is None and message.event != "gone":
                            continue
                        yield run_id, understood
                        waiting[run_id] = said["position"] or waiting[run_id]
                        if understood is None or (isinstance(understood, Run) and understood.ended):
                            del waiting[run_id]
            except (PhylonUnreachable, ApiError) as error:
                if self._transport.closed:
                    return
                if isinstance(error, ApiError) and error.status < 500:
                    raise
                lost_since = lost_since or time.monotonic()
                if time.monotonic() - lost_since > patience:
                    raise
            time.sleep(0.5)


def _understand(event: str, data: str) -> RunEvent | Rewind | Run | None:
    match event:
        case "rewind":
            return Rewind.model_validate_json(data, extra="ignore")
        case "status":
            return Run.model_validate_json(data, extra="ignore")
        case kind if kind in EVENT_KINDS:
            return run_event.validate_json(data, extra="ignore")
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
    return isinstance(document, dict) and cast(dict[str, Any], document).get("kind") in ("group", "sweep")


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
