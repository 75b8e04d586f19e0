"""What an algorithm, a population method, an environment suite and a wrapper say about themselves.

Checks, forecasts, forms, documentation, runtime studies and tests ask these descriptions, so that nobody keeps a list
of names. A description imports no JAX: the engine is named as `"module:attribute"` and imported in the trainer only.

A plug-in's modules may import this one, `phylon.spec.distributions`, `phylon.spec.algorithms.networks`,
`phylon.spec.evolving`, `phylon.spec.problems` and `phylon.forecast.networks`: none of them loads the registries.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from phylon.forecast.sizes import Learner
from phylon.policy.network import PolicyNetwork, Spaces
from phylon.spec.distributions import Choice, Distribution, NameChoice, bounds

if TYPE_CHECKING:
    from phylon.catalogue.entry import EnvironmentEntry, Space
    from phylon.spec.distributions import Model
    from phylon.spec.experiment import ExperimentSpec
    from phylon.spec.problems import Problem

ActionKind = Literal["box", "discrete", "multi_discrete"]
Experience = Literal["replay", "rollout"]
HyperparameterScale = Literal["linear", "log", "complement"]
"""How a number moves: by differences, by factors, or (near 1, such as a discount) as 1 - x by factors."""
WhenRead = Literal["training", "reset", "birth"]
"""When a member reads a hyper-parameter: whenever it acts or learns, at each reset, or only when it is new."""
WrappedForm = Literal["single", "pool", "functional"]
"""What is wrapped: each environment by itself, a whole pool of them, or an environment of pure functions."""
SearchSpace = Mapping[str, Distribution | NameChoice]
NOTHING: Mapping[str, Any] = MappingProxyType({})


Value = TypeVar("Value")


def always(value: Value) -> Callable[[Any], Value]:
    """What does not depend on the spec."""
    return lambda spec: value


class StateDescription(NamedTuple):
    """What the fields of an algorithm's state are. Scalars such as counters need not be named."""

    networks: Mapping[str, tuple[str, ...]] = NOTHING
    """Fields with weights, by the part that `resets.parts` names; empty where the algorithm cannot be reset."""
    network: tuple[str, ...] = ()
    """Fields with weights where policy and values are one network, which has no parts to reset."""
    targets: Mapping[str, str] = NOTHING
    """Fields that are slowly moving copies, and the field that each follows."""
    optimisers: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()
    """Fields with running means and the like, which no gradient moves."""
    policy: tuple[str, ...] = ()
    """Fields of a policy that can be copied without its critics; empty where there is no such policy."""
    output_layers: tuple[str, ...] = ("output",)
    """Names of the layers from which outputs come: what `resets.layers: last` renews."""

    @property
    def weights(self) -> tuple[str, ...]:
        """All fields with weights that a network begins with; targets follow them."""
        return (*self.network, *(field for fields in self.networks.values() for field in fields))

    @property
    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """What can be reset, with the fields of each part: networks come before the targets that follow them."""
        if not self.networks:
            return {}
        followers = {
            part: (*fields, *(target for target, followed in self.targets.items() if followed in fields))
            for part, fields in self.networks.items()
        }
        return {**followers, "optimisers": self.optimisers}


def sampled_rows(spec: Any, transitions: int) -> int:
    """Of an algorithm that draws `batch_size` transitions from a replay."""
    del transitions
    return spec.batch_size


class MemoryDescription(NamedTuple):
    learner: Callable[[Any, "EnvironmentEntry", int], Learner]
    """(algorithm's spec, environment, environments per member) -> what one member learns with."""
    batch_rows: Callable[[Any, int], int] = sampled_rows
    """(algorithm's spec, transitions of a segment) -> transitions that a gradient step looks at."""
    passes: int = 1
    """Passes through the networks in a gradient step, for each row."""


class SharedCritic(NamedTuple):
    """The algorithm of a population whose members share one critic."""

    engine: str
    """(spec, info, size, learners) -> JointAlgorithm."""
    numbers: tuple[str, ...]
    """Hyper-parameters of the critic, which has one value of each. All others may differ between members."""
    has_joint_policy_step: bool = False
    """Whether the engine takes another policy step for all members at once as its argument `policies`."""


def sampled_batches(updates: int, rows: int) -> Mapping[str, Any]:
    del updates
    return {"batch_size": rows}


class StudyDescription(NamedTuple):
    """How a runtime study measures the algorithm."""

    structure: Callable[[int, int], Mapping[str, Any]] = sampled_batches
    """(updates of a call, rows of a batch) -> fields of the algorithm's spec."""
    network: Mapping[str, Any] = NOTHING
    """What its network says beside the widths."""
    has_images: bool = False
    """Synthetic images and discrete actions, instead of vectors and continuous ones."""
    has_env_per_row: bool = False
    """Whether a member has as many environments as a batch has rows, instead of one."""
    twin: str | None = None
    """The same update in PyTorch."""


class Refusal(NamedTuple):
    message: str
    remedy: str


def observes_anything(spec: Any, space: "Space") -> Refusal | None:
    del spec, space


class AlgorithmDescription(NamedTuple):
    spec: type["Model"]
    """Declares `name: Literal[…]`, `learns_from`, and for rollouts `rollout_steps`. Fields with a legal range
    (`phylon.spec.distributions.Positive` and others) are hyper-parameters, one number per member; all else is
    structure."""
    engine: str
    """(spec, info) -> `phylon.worker.core.types.Algorithm`."""
    title: str
    summary: str
    defaults_source: str
    search_space: SearchSpace
    """Recommended: what is tuned where a spec asks for tuning and names nothing. The defaults lie inside."""
    search_source: str
    actions: frozenset[ActionKind]
    memory: MemoryDescription
    state: Callable[[Any], StateDescription] = always(StateDescription())
    observes: Callable[[Any, "Space"], Refusal | None] = observes_anything
    """Why the algorithm cannot learn from such observations, if it cannot."""
    scales: Mapping[str, HyperparameterScale] = NOTHING
    """Numbers that are not named here are linear."""
    learning_rates: tuple[str, ...] = ()
    """Hyper-parameters that `learning_rate_decay` of its spec, if it has one, lowers over a run."""
    unread: Callable[[Any], Mapping[str, Refusal]] = always(NOTHING)
    """Hyper-parameters that nothing reads with this structure, and why; they cannot be tuned."""
    read_at_birth: Callable[[Any], Mapping[str, str]] = always(NOTHING)
    """Hyper-parameters that only a new member reads, each with the part of `resets.parts` that starts from it."""
    paces: Mapping[str, float] = NOTHING
    """Hyper-parameters that count updates: left out, each is at most this share of those of a run."""
    updates_per_step: float = 1.0
    """Of its own code, for each environment step; used where a spec leaves `replay.ratio` out."""
    home: tuple[str, str] | None = None
    """Suite and id of the one environment that a toy is made for."""
    is_stochastic: bool = False
    """Whether its policy is a distribution, which evaluation may sample from. Noise for exploration is none."""
    shared_critic: SharedCritic | None = None
    study: StudyDescription | None = None
    policy: Callable[[Any, Spaces], PolicyNetwork] | None = None
    """(algorithm's spec, spaces) -> how a member's policy computes its action from weights of its state, so that it can
    be exported; `phylon.policy.layers` has those of the bundled algorithms. None: its policies stay in checkpoints."""

    @property
    def name(self) -> str:
        return name_of(self.spec)

    @property
    def experience(self) -> Experience:
        return getattr(self.spec, "learns_from")  # noqa: B009  declared by every algorithm's spec class

    def scale_of(self, hyperparameter: str) -> HyperparameterScale:
        return self.scales.get(hyperparameter, "linear")


class JointLearning(NamedTuple):
    """Members learn as one: they share a critic and a replay, in one program on one device."""

    engine: str
    """(experiment's spec, info) -> `phylon.worker.core.types.JointAlgorithm`."""
    trains: Callable[[AlgorithmDescription], bool]
    learners: Callable[[Any, int], int]
    """(method's spec, size) -> how many members take gradient steps."""
    ratio: Callable[[int], float] = always(1.0)
    """(size) -> gradient updates for each step of a member, where a spec leaves `replay.ratio` out."""


class MethodDescription(NamedTuple):
    spec: type["Model"]
    engine: str
    """(experiment's spec) -> `phylon.worker.population.PopulationMethod`."""
    title: str
    summary: str
    tuning: Literal["required", "usual", "optional"] = "optional"
    """Whether it needs hyper-parameters that differ between members, usually has them, or has its point without."""
    choices: Literal["allowed", "required", "refused"] = "allowed"
    """Whether categories are among what it tunes."""
    moves_hyperparameters: bool = True
    """Whether it changes what it tunes while members train; if not, each keeps what it began with."""
    joint: JointLearning | None = None
    is_sample_per_member: bool = False
    """Whether members know nothing of each other, so that each is a sample of its own in statistics."""
    smallest_size: int = 1
    size_multiple: Callable[[Any], int] = always(1)
    """(method's spec) -> sizes of the population are multiples of it."""
    follows_budget: bool = False
    """Whether what it does before the end, or the room that it keeps, follows from `budget.env_steps`: a run with it
    cannot be extended."""
    rounds: int = 20
    """About how many times it acts in a run whose spec leaves its `interval` out."""
    defaults: Callable[[int], Mapping[str, Any]] = always(NOTHING)
    """(size of the population) -> fields of the method's spec whose default follows from it."""
    problems: Callable[["ExperimentSpec"], Iterable["Problem"]] = always(())
    """What else does not fit together in a spec with this method."""

    @property
    def name(self) -> str:
        return name_of(self.spec)

    def can_train(self, algorithm: AlgorithmDescription) -> bool:
        return self.joint is None or self.joint.trains(algorithm)

    def search_space(self, algorithm: AlgorithmDescription) -> SearchSpace:
        """What this method should tune of the algorithm where a spec names nothing; empty where tuning is optional.

        A method that needs a category where the algorithm recommends none gets three values of its first number.
        """
        if self.tuning == "optional":
            return {}
        space = dict(algorithm.search_space)
        if self.joint is not None and algorithm.shared_critic is not None:
            space = {name: value for name, value in space.items() if name not in algorithm.shared_critic.numbers}
        categories = [name for name, value in space.items() if isinstance(value, Choice | NameChoice)]
        if self.choices == "refused":
            return {name: value for name, value in space.items() if name not in categories}
        if self.choices == "required" and not categories:
            first = next(iter(space))
            space[first] = Choice(choice=three_values(algorithm, first))
        return space


class FamilyDescription(NamedTuple):
    """A part of a suite that differs from the rest."""

    options: str | None = None
    """The field of `environment` with options of this family alone."""
    frame_stack: int = 1
    """How many frames an observation is made of, along its last axis."""
    is_renderable: bool = True
    has_levels: bool = False
    """Whether members may train on a part of the levels and be tested on others."""
    is_policy_sampled: bool = False
    """Whether stochastic policies are evaluated by samples here, as the references do, instead of their mode."""
    epsilon: float = 0.0
    """The usual share of random actions while policies that are not stochastic are evaluated."""


class SuiteDescription(NamedTuple):
    name: str
    title: str
    summary: str
    adapter: str
    """The module of the engine that makes its environments; see `phylon.worker.environments.Suite`."""
    install: str
    """What `pip install` has to be given where its library is missing."""
    distributions: tuple[str, ...]
    """What has to be installed for it."""
    catalogue: tuple[str, str]
    """Package and file of its list of environments, written by `python -m phylon.worker.environments.catalogue`."""
    families: Mapping[str, FamilyDescription] = NOTHING
    is_renderable: bool = True
    is_functional: bool = False
    """Whether environments are JAX functions that run on the device."""
    has_stepping: bool = False
    """Whether `environment.stepping` has a meaning here: each environment is an object with a `step` of its own."""
    has_options: bool = False
    """Whether `environment.options` are handed to whatever makes its environments."""
    is_usual: bool = False
    """Whether a spec that names no suite means this one, where several have the environment."""

    def family(self, name: str) -> FamilyDescription:
        return self.families.get(name, FamilyDescription(is_renderable=self.is_renderable))


class WrapperDescription(NamedTuple):
    """Changes what members see of an environment, or what it makes of their actions.

    It has an engine for each way in which suites step their environments, and is refused where it has none.
    """

    spec: type["Model"]
    engines: Mapping[WrappedForm, str]
    """(spec, what is wrapped, info afterwards) -> the same kind of thing: a `gymnasium.Env` (single), a
    `HostEnvironments` (pool), a `JaxEnvironment` (functional)."""
    summary: str
    changes: Callable[[Any, "EnvironmentEntry"], "EnvironmentEntry | Refusal"]
    """(wrapper's spec, environment) -> the environment as members see it, or why it cannot be wrapped so."""
    is_for_training: bool = False
    """Whether it is left out of evaluations, which measure the environment's own returns."""

    @property
    def name(self) -> str:
        return name_of(self.spec)

    def form_in(self, suite: SuiteDescription) -> WrappedForm | None:
        """How environments of the suite are wrapped; None where they cannot be."""
        forms: tuple[WrappedForm, ...] = ("functional",) if suite.is_functional else ("pool",)
        if suite.has_stepping:
            forms = ("single", *forms)
        return next((form for form in forms if form in self.engines), None)


def name_of(spec: type["Model"]) -> str:
    """The name by which documents choose this spec class."""
    (name,) = spec.model_fields["name"].annotation.__args__  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    return str(name)  # pyright: ignore[reportUnknownArgumentType]


def three_values(algorithm: AlgorithmDescription, name: str) -> tuple[float, ...]:
    """The default of a number, and the bounds of its recommended range."""
    distribution = algorithm.search_space[name]
    assert not isinstance(distribution, NameChoice)
    low, high = bounds(distribution)
    return tuple(sorted({float(low), float(algorithm.spec.model_fields[name].default), float(high)}))
