"""The line between a worker and the API processes, which can be cut, slowed and silenced.

As a process: `python tests/chaos/link.py PORT UPSTREAM_PORT…`, with one of the states below per line of standard input.
It passes bytes on and knows nothing of HTTP. A new connection goes to the next API process that answers, as a balancer
would have it.
"""

import asyncio
import contextlib
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Literal

State = Literal["open", "cut", "slow", "silent", "deaf"]
"""`cut`: connections break and new ones too. `slow`: small pieces, late. `silent`: nothing arrives until it is open
again, then everything does. `deaf`: requests arrive, answers do not."""
BREAKING = ("cut", "deaf")
SLOW_SECONDS, SLOW_BYTES = 0.15, 8192
PIECE_BYTES = 2**16


class Link:
    """The process, and what it is told."""

    def __init__(self, port: int, upstream: list[int]) -> None:
        command = [sys.executable, str(Path(__file__).resolve()), str(port), *map(str, upstream)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{port}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def set(self, state: State) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{state}\n")
        self._process.stdin.flush()

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()


class Switch:
    """What the line does now, and the connections that it would break."""

    def __init__(self) -> None:
        self.state: State = "open"
        self.audible = asyncio.Event()
        self.audible.set()
        self.connections: set[asyncio.StreamWriter] = set()

    def turn(self, state: State) -> None:
        breaks = state in BREAKING or self.state in BREAKING
        self.state = state
        if state == "silent":
            self.audible.clear()
        else:
            self.audible.set()
        if breaks:
            for writer in list(self.connections):
                writer.transport.abort()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter, switch: Switch, is_answer: bool) -> None:
    while piece := await source.read(SLOW_BYTES if switch.state == "slow" else PIECE_BYTES):
        if switch.state == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        await switch.audible.wait()
        if switch.state == "deaf" and is_answer:
            continue
        target.write(piece)
        await target.drain()
    if not is_answer:
        await switch.audible.wait()
        target.close()


async def connect(upstream: "itertools.cycle[int]", count: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    for _ in range(count - 1):
        with contextlib.suppress(OSError):
            return await asyncio.open_connection("127.0.0.1", next(upstream))
    return await asyncio.open_connection("127.0.0.1", next(upstream))


async def main(port: int, ports: list[int]) -> None:
    switch, upstream = Switch(), itertools.cycle(ports)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        switch.connections.add(writer)
        try:
            if switch.state == "cut":
                return
            from_upstream, to_upstream = await connect(upstream, len(ports))
            switch.connections.add(to_upstream)
            try:
                async with asyncio.TaskGroup() as both:
                    up = both.create_task(copy(reader, to_upstream, switch, is_answer=False))
                    await copy(from_upstream, writer, switch, is_answer=True)
                    up.cancel()
            finally:
                switch.connections.discard(to_upstream)
                to_upstream.transport.abort()
        except* OSError:
            pass  # one of the two went away
        finally:
            switch.connections.discard(writer)
            writer.transport.abort()

    server = await asyncio.start_server(pass_on, "127.0.0.1", port)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    async with server:
        while line := await orders.readline():
            switch.turn(line.decode().strip())  # type: ignore[arg-type]


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
