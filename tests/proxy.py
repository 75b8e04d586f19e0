"""A reverse proxy in a process of its own: `python tests/proxy.py PORT UPSTREAM_PORT [PROTO]`.

It passes requests on with `X-Forwarded-For` and `X-Forwarded-Proto` as real ones do, and answers as they come, piece by
piece. One connection to the service for each request: enough for tests, and simple enough to be sure of.
"""

import asyncio
import sys


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, upstream_port: int, proto: str) -> None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        peer = writer.get_extra_info("peername")[0]
        kept = [line for line in head[1:] if line and not line.lower().startswith(("x-forwarded-", "connection:"))]
        added = [f"X-Forwarded-For: {peer}", f"X-Forwarded-Proto: {proto}", "Connection: close"]
        from_upstream, to_upstream = await asyncio.open_connection("127.0.0.1", upstream_port)
        to_upstream.write("\r\n".join([head[0], *kept, *added, "", ""]).encode("latin-1"))
        up = asyncio.create_task(copy(reader, to_upstream))
        await copy(from_upstream, writer)
        up.cancel()
        to_upstream.close()
    except (OSError, asyncio.IncompleteReadError):
        pass  # one of the two went away
    finally:
        writer.close()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while piece := await source.read(2**16):
        target.write(piece)
        await target.drain()


async def main(port: int, upstream_port: int, proto: str) -> None:
    server = await asyncio.start_server(lambda r, w: pass_on(r, w, upstream_port, proto), "127.0.0.1", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), *(sys.argv[3:] or ["https"])))
