"""What a gang is, and what can be said in it.

Every function here is called by all processes of the gang at the same points, in the same order: whatever decides that
must be the same everywhere. So clocks and orders are agreed on first (`agree`), and what all have computed alike is
compared (`compare`).
"""

import hashlib
import io
import json
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import jax
import numpy as np
from numpy.typing import NDArray

from phylon.worker.core.errors import EngineError

Made = TypeVar("Made")
HEAD = 8
"""Bytes that say of how many members a message is."""


class Move(NamedTuple):
    """What belongs to a member goes from the process that has it to another one."""

    slot: int
    source: int
    target: int


class ExchangeFn(Protocol):
    """All processes pass the same moves; `pack` gives what belongs to a member that this one has. Returns what came
    here, by slot."""

    def __call__(self, moves: Sequence[Move], pack: Callable[[int], bytes]) -> Mapping[int, bytes]: ...


class Gang(NamedTuple):
    rank: int
    size: int
    share: Callable[[bytes], list[bytes]]
    """What every process passes, by rank."""
    exchange: ExchangeFn
    leave: Callable[[], None] = lambda: None
    """In order, when all are done."""
    fail: Callable[[], None] = lambda: None
    """Where training failed here, and so in all processes, or in this one alone; then the others end as well."""
    launch_of: Callable[[int], str] = "{} processes".format
    """How to launch so many processes."""
    has_own_folder: bool = False
    """What this process writes is in no other one's run directory."""
    take_waited: Callable[[], float] = lambda: 0.0
    """Seconds that went by in `share` and `exchange` since this was last asked: the others' work, and the transfer."""

    @property
    def is_first(self) -> bool:
        """The one that decides, writes events, and speaks for all."""
        return self.rank == 0


ALONE = Gang(0, 1, share=lambda own: [own], exchange=lambda moves, pack: {})


class GangDiffers(EngineError):
    """Processes that must have come to the same have not."""


def gather(gang: Gang, own: Any) -> Any:
    """Leaves [members here, ...] -> [P, ...], in the order of the members, every bit as it was. On the host."""
    if gang.size == 1:
        return own
    leaves, structure = jax.tree.flatten(jax.tree.map(np.asarray, jax.device_get(own)))
    content = len(leaves[0]).to_bytes(HEAD, "little") + b"".join(leaf.tobytes() for leaf in leaves)
    pieces = [_unpack(leaves, other) for other in gang.share(content)]
    return jax.tree.unflatten(structure, [np.concatenate(blocks) for blocks in zip(*pieces, strict=True)])


def agree(gang: Gang, own: Any) -> Any:
    """What the first process passes, a value of JSON."""
    if gang.size == 1:
        return own
    return json.loads(gang.share(json.dumps(own).encode() if gang.is_first else b"")[0])


def everywhere(gang: Gang, make: Callable[[], Made]) -> Made:
    """What each process makes for itself. What one of them lacks is the failure of all."""
    try:
        made, failure = make(), None
    except EngineError as error:
        if gang.size == 1:
            raise
        made, failure = None, error
    said = collect(gang, failure and [failure.message, failure.remedy, socket.gethostname()])
    if failure is not None:
        raise failure
    for rank, other in enumerate(said):
        if other is not None:
            message, remedy, host = other
            raise EngineError(f"process {rank} on host {host}: {message}", remedy)
    return cast(Made, made)


def bring(gang: Gang, own: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Arrays by name, from the first process that has any."""
    if gang.size == 1:
        return dict(own)
    buffer = io.BytesIO()
    if own:
        np.savez(buffer, allow_pickle=False, **own)
    found = next(content for content in gang.share(buffer.getvalue()) if content)
    with np.load(io.BytesIO(found), allow_pickle=False) as arrays:
        return dict(arrays)


def collect(gang: Gang, own: Any) -> list[Any]:
    """What every process passes, a value of JSON."""
    return [own] if gang.size == 1 else [json.loads(content) for content in gang.share(json.dumps(own).encode())]


def compare(gang: Gang, what: str, own: Any) -> None:
    """All must have this tree of arrays alike."""
    if gang.size == 1:
        return
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.device_get(own))]
    digest = hashlib.sha256(b"".join(leaf.tobytes() for leaf in leaves)).digest()
    shared = gang.share(digest + socket.gethostname().encode())
    for rank, content in enumerate(shared):
        if content[: len(digest)] != shared[0][: len(digest)]:
            hosts = [each[len(digest) :].decode() for each in (shared[0], content)]
            raise GangDiffers(
                f"{what} came out differently in process 0 ({hosts[0]}) and process {rank} ({hosts[1]})",
                "use machines with the same processors, and the same versions of everything",
            )


def _unpack(like: list[np.ndarray], content: bytes) -> list[np.ndarray]:
    """Another process's leaves: of the same types and shapes, but for the number of members."""
    members = int.from_bytes(content[:HEAD], "little")
    per_member = sum(_bytes_per_member(leaf) for leaf in like)
    assert len(content) == HEAD + members * per_member, f"{len(content)} bytes are not {members} members' {per_member}"
    pieces, at = list[np.ndarray](), HEAD
    for leaf in like:
        end = at + members * _bytes_per_member(leaf)
        pieces.append(np.frombuffer(content[at:end], leaf.dtype).reshape(members, *leaf.shape[1:]))
        at = end
    return pieces


def _bytes_per_member(leaf: np.ndarray) -> int:
    return int(np.prod(leaf.shape[1:])) * leaf.dtype.itemsize
