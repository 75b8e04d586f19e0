"""The service from Python: submit experiments, follow them, and fetch what they found.

from phylon import Client

with Client() as phylon:
    experiment = phylon.submit("td3.yaml")
    for message in phylon.watch(experiment.runs[0].id):
        print(message)
    returns = phylon.metrics(experiment.runs[0].id, ["evaluation/return"])["evaluation/return"].values
"""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, overload

import yaml

from phylon.comparisons_client import ComparisonsClient
from phylon.connection import text_of
from phylon.contract.advice import Advice
from phylon.contract.artifacts import Artifact
from phylon.contract.catalogue import Algorithm, Environment, Method, Preset, Suite
from phylon.contract.evaluations import EvaluationFilm
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
from phylon.contract.views import NewView, SavedView, ViewChange
from phylon.contract.vocabulary import ExperimentStatus, Priority
from phylon.errors import ApiError, NotFound
from phylon.events_client import EventsClient
from phylon.forks_client import ForksClient
from phylon.frames_client import FramesClient
from phylon.imports_client import ImportsClient
from phylon.payloads_client import PayloadsClient
from phylon.series import Series
from phylon.spec import (
    ExperimentSpec,
    Group,
    SpecInvalid,
    group_to_yaml,
    read_yaml,
    spec_to_json,
    spec_to_yaml,
)
from phylon.webhooks_client import WebhooksClient
from phylon.work_client import WorkClient

if TYPE_CHECKING:
    from phylon.export.formats import Format, TableName

SpecSource = ExperimentSpec | Group | Mapping[str, Any] | str | Path
"""A spec or a group of them, plain data, YAML text, or the path of a YAML file."""


class Client(
    EventsClient,
    WorkClient,
    ComparisonsClient,
    ForksClient,
    PayloadsClient,
    ImportsClient,
    FramesClient,
    WebhooksClient,
):
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


def _as_body(source: SpecSource) -> dict[str, Any]:
    if isinstance(source, ExperimentSpec):
        return {"spec": spec_to_json(source)}
    if isinstance(source, Group):
        return {"spec": source.spec.model_dump(mode="json")}
    if isinstance(source, Mapping):
        return {"spec": dict(source)}
    return {"yaml": text_of(source)}


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
    return text_of(source)


def _series(series: MetricSeries) -> Series:
    import numpy as np  # here, so that a script that only submits starts quickly

    return Series(
        steps=np.asarray(series.steps, dtype=np.int64),
        wall=np.asarray(series.wall, dtype=np.float64),
        values=np.asarray(series.values, dtype=np.float64),
    )
