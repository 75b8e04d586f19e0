"""Which inputs of a traced program its outputs depend on; nothing is compiled or run.

Dependence is the flow of data through the program's equations, those of loops, branches and calls included. It is not
the size of an effect: `0 * x` depends on x, and an equation that is not understood depends on all it is given. So an
input that is found without influence has none, whatever the values are.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal


def find_dependence(program: Jaxpr, outputs: Sequence[bool]) -> list[bool]:
    """For each input, whether one of the chosen outputs depends on it."""
    needed = set(_chosen(program.outvars, outputs))
    for equation in reversed(program.eqns):
        chosen = [variable in needed for variable in equation.outvars]
        if any(chosen):
            needed.update(_chosen(equation.invars, _inputs_of(equation, chosen)))
        elif equation.effects:  # it may write what others read
            needed.update(_chosen(equation.invars, [True] * len(equation.invars)))
    return [variable in needed for variable in program.invars]


def _chosen(variables: Iterable[Any], choice: Sequence[bool]) -> list[Any]:
    pairs = zip(variables, choice, strict=True)
    return [variable for variable, is_chosen in pairs if is_chosen and not isinstance(variable, Literal)]


def _inputs_of(equation: JaxprEqn, chosen: Sequence[bool]) -> list[bool]:
    match equation.primitive.name:
        case "scan":
            return _inputs_of_scan(equation.params, chosen)
        case "while":
            return _inputs_of_while(equation.params, chosen)
        case "cond":
            branches = [find_dependence(branch.jaxpr, chosen) for branch in equation.params["branches"]]
            return [True, *(any(by_branch) for by_branch in zip(*branches, strict=True))]
        case _:
            return _inputs_of_call(equation, chosen)


def _inputs_of_scan(params: dict[str, Any], chosen: Sequence[bool]) -> list[bool]:
    constants, carries = params["num_consts"], params["num_carry"]
    carried, read = _follow_carry(params["jaxpr"].jaxpr, constants, chosen[:carries], chosen[carries:])
    return [*read[:constants], *carried, *read[constants + carries :]]


def _inputs_of_while(params: dict[str, Any], chosen: Sequence[bool]) -> list[bool]:
    """Whatever comes out depends on how often the loop ran, and so on what its condition reads."""
    tests, constants = params["cond_nconsts"], params["body_nconsts"]
    by_test = find_dependence(params["cond_jaxpr"].jaxpr, [True])
    chosen = [is_chosen or is_tested for is_chosen, is_tested in zip(chosen, by_test[tests:], strict=True)]
    carried, read = _follow_carry(params["body_jaxpr"].jaxpr, constants, chosen, [])
    return [*by_test[:tests], *read[:constants], *carried]


def _follow_carry(
    body: Jaxpr, constants: int, carried: Sequence[bool], stacked: Sequence[bool]
) -> tuple[list[bool], list[bool]]:
    """What is carried from one round to the next counts if a later round needs it. Also: which inputs a round reads."""
    carried = list(carried)
    while True:
        read = find_dependence(body, [*carried, *stacked])
        earlier = read[constants : constants + len(carried)]
        needed = [is_needed or is_read for is_needed, is_read in zip(carried, earlier, strict=True)]
        if needed == carried:
            return carried, read
        carried = needed


def _inputs_of_call(equation: JaxprEqn, chosen: Sequence[bool]) -> list[bool]:
    """Of a call to a traced function (jit, checkpoint, custom derivatives, shards); all inputs of anything else."""
    called = [_opened(value) for value in equation.params.values() if isinstance(value, Jaxpr | ClosedJaxpr)]
    if len(called) == 1:
        (program,) = called
        if (len(program.invars), len(program.outvars)) == (len(equation.invars), len(equation.outvars)):
            return find_dependence(program, chosen)
    return [True] * len(equation.invars)


def _opened(program: Jaxpr | ClosedJaxpr) -> Jaxpr:
    return program.jaxpr if isinstance(program, ClosedJaxpr) else program
