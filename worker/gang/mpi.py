"""Members go from process to process by MPI's own messages, where mpiexec launched them (`phylon[mpi]`).

mpi4py is imported only then: loading it starts MPI.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from phylon.launch import Launch
from phylon.worker.core.errors import EngineError
from phylon.worker.gang.gang import ExchangeFn, Move

LARGEST = 2**30
"""Bytes of a message: MPI counts them in 32 bits."""


def is_under_mpi(launch: Launch, environment: Mapping[str, str]) -> bool:
    numbers = (environment.get("OMPI_COMM_WORLD_RANK"), environment.get("OMPI_COMM_WORLD_SIZE"))
    return numbers == (str(launch.rank), str(launch.size))


def exchange_by_mpi(launch: Launch) -> ExchangeFn:
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise EngineError(
            f"execution.exchange is point_to_point and mpiexec launched this, but mpi4py cannot be loaded: {error}",
            "pip install 'phylon[mpi]', or set execution.exchange to collective",
        ) from None
    world: Any = MPI.COMM_WORLD
    if (world.Get_rank(), world.Get_size()) != (launch.rank, launch.size):
        raise EngineError(
            f"MPI says that this is process {world.Get_rank()} of {world.Get_size()}, not {launch.rank} of "
            f"{launch.size}",
            "use the mpiexec that belongs to mpi4py's MPI, or set execution.exchange to collective",
        )

    def exchange(moves: Sequence[Move], pack: Callable[[int], bytes]) -> dict[int, bytes]:
        leaving = sorted(move for move in set(moves) if move.source == launch.rank)
        coming = sorted(move for move in set(moves) if move.target == launch.rank)
        packed = {slot: pack(slot) for slot in {move.slot for move in leaving}}
        # Between two processes messages keep their order, so none needs a number. Lengths go ahead.
        lengths = {move.slot: np.zeros(1, np.int64) for move in coming}
        waiting = [world.Irecv(lengths[move.slot], move.source) for move in coming]
        waiting += [world.Isend(np.array([len(packed[move.slot])], np.int64), move.target) for move in leaving]
        MPI.Request.Waitall(waiting)
        received = {slot: np.empty(int(length[0]), np.uint8) for slot, length in lengths.items()}
        waiting = [world.Irecv(piece, move.source) for move in coming for piece in _pieces(received[move.slot])]
        rows = {slot: np.frombuffer(row, np.uint8) for slot, row in packed.items()}
        waiting += [world.Isend(piece, move.target) for move in leaving for piece in _pieces(rows[move.slot])]
        MPI.Request.Waitall(waiting)
        return {slot: row.tobytes() for slot, row in received.items()}

    return exchange


def _pieces(row: np.ndarray) -> list[np.ndarray]:
    return [row[at : at + LARGEST] for at in range(0, len(row), LARGEST)]
