"""Founders that begin with the weights of trained members, dealt round over the slots (`population.start`).

From a checkpoint comes a member's whole state: networks, targets, optimisers, statistics. It must be the state of this
run's members exactly, or it is refused. From an exported policy comes what acts; all else is as drawn, and targets of
what came begin equal to it. Neither replay nor hyper-parameters come along, and steps count from 0.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.contract.events import Origin
from phylon.policy.making import NoPolicy, describe_policy
from phylon.start.material import Leaves, Material
from phylon.worker.core.errors import EngineError
from phylon.worker.core.types import Joint
from phylon.worker.environments.spaces import spaces_of
from phylon.worker.execution import Population
from phylon.worker.execution.acting import own_parts
from phylon.worker.training.assembly import Parts
from phylon.worker.training.checkpoint import name_of

SHOWN = 3
"""Differences that a refusal lists."""


class StartDoesNotFit(EngineError):
    """The weights to start from are not those of this run's members."""


def deal(materials: Sequence[Material], size: int) -> list[Material]:
    """One for each founder, from the first on, again and again."""
    if len(materials) > size:
        raise StartDoesNotFit(
            f"population.start has {len(materials)} members for {size} founders, so that some would be left out",
            "name which members to take, or raise population.size",
        )
    return [materials[slot % len(materials)] for slot in range(size)]


def origins_of(materials: Sequence[Material], size: int) -> list[Origin | None]:
    """Of each founder; None where there is nothing to start from."""
    return [each.origin for each in deal(materials, size)] if materials else [None] * size


def begin_with(materials: Sequence[Material], parts: Parts, drawn: Population) -> Population:
    """The population as drawn, with what `materials` have in its place."""
    if parts.method.search is not None and len(materials) > 1:
        raise StartDoesNotFit(
            f"{parts.spec.population.method.name} draws all its members about one, and population.start has "
            f"{len(materials)}",
            "name one",
        )
    population = jax.device_get(drawn)
    fresh, structure = _flatten(own_parts(population))
    names = list(fresh)
    fitted = {id(each): _fit(each, parts, {name: fresh[name][0] for name in names}) for each in materials}
    dealt = deal(materials, parts.size)[parts.held.start : parts.held.stop]
    rows = [{**{name: fresh[name][slot] for name in names}, **fitted[id(each)]} for slot, each in enumerate(dealt)]
    for row, each in zip(rows, dealt, strict=True):
        if each.origin.source == "policy":
            _follow(row, parts.work.algorithm.layout.targets, fitted[id(each)])
    own = jax.tree.unflatten(structure, [np.stack([row[name] for row in rows]) for name in names])
    if not isinstance(population, Joint):
        return parts.execution.place(own)
    return parts.execution.place(Joint(own, _begin_shared(materials[0], parts, population.shared)))


def _fit(material: Material, parts: Parts, wanted: Leaves) -> Leaves:
    """What the material brings to a member whose leaves are `wanted`; refused where they differ."""
    if material.origin.source == "policy":
        try:
            network = describe_policy(parts.spec.algorithm, spaces_of(parts.work.info), None)
        except NoPolicy as error:
            raise StartDoesNotFit(str(error), "start from a checkpoint instead") from None
        wanted = {name: wanted[name] for name in network.weights}
    _refuse_differences(material, parts, wanted, material.leaves)
    return material.leaves


def _begin_shared(material: Material, parts: Parts, drawn: Any) -> Any:
    """What members share comes along from a checkpoint that has it, and is new otherwise."""
    if not material.shared:
        return drawn
    wanted, structure = _flatten(drawn)
    _refuse_differences(material, parts, wanted, material.shared)
    return jax.tree.unflatten(structure, [material.shared[name] for name in wanted])


def _follow(row: dict[str, NDArray[Any]], targets: Mapping[str, str], came: Leaves) -> None:
    """Targets of what came are copies of it, as they are at birth."""
    for target, followed in targets.items():
        for name in came:
            field, _, rest = name.partition("/")
            if field == followed:
                row[f"{target}/{rest}"] = came[name]


def _refuse_differences(material: Material, parts: Parts, wanted: Leaves, found: Leaves) -> None:
    differences = [
        f"'{name}' {_describe(found.get(name))} there and {_describe(wanted.get(name))} here"
        for name in dict.fromkeys([*wanted, *found])
        if _form(found.get(name)) != _form(wanted.get(name))
    ]
    if not differences:
        return
    origin, spec = material.origin, parts.spec
    member = "the mean policy" if origin.member is None else f"member {origin.member}"
    run = f" (run {origin.run})" if origin.run else ""
    more = f", and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
    raise StartDoesNotFit(
        f"{member} of '{origin.experiment}'{run}, a {origin.source} of {origin.algorithm} in {origin.environment}, "
        f"does not fit {spec.algorithm.name} in {spec.environment.id}: {'; '.join(differences[:SHOWN])}{more}",
        "use the algorithm, network and spaces of the source, or start from a policy of it, which needs only these to "
        "be equal that act",
    )


def _form(leaf: NDArray[Any] | None) -> tuple[Any, ...] | None:
    return None if leaf is None else (leaf.shape, leaf.dtype)


def _describe(leaf: NDArray[Any] | None) -> str:
    return "is missing" if leaf is None else f"has shape {tuple(leaf.shape)} and type {leaf.dtype}"


def _flatten(tree: Any) -> tuple[dict[str, NDArray[Any]], Any]:
    leaves, structure = jax.tree_util.tree_flatten_with_path(tree)
    return {name_of(path): np.asarray(leaf) for path, leaf in leaves}, structure
