"""Sockets behind one epoll do what asyncio's transports do: large writes, resets, names, an end for each."""

import asyncio

from perfproof.load.http_client import HttpClient, parse_address, request_bytes
from perfproof.load.record import Record
from tests.load.test_reply import END, PLAIN, stream


def asked(handle, requests, host="127.0.0.1"):
    """The records of requests, sent at once to a server that treats each connection with `handle`."""

    async def go():
        server = await asyncio.start_server(handle, host, 0, limit=2**26)
        client = HttpClient(parse_address(f"{host}:{server.sockets[0].getsockname()[1]}"))
        records = [Record(number, 0.0) for number in range(len(requests))]
        bytes_of = [request_bytes(client.address, "/v1/completions", body) for body in requests]
        async with asyncio.timeout(60):
            await asyncio.gather(*(client.send(*pair) for pair in zip(bytes_of, records, strict=True)))
        sockets = client.sockets
        client.close()
        await asyncio.sleep(0)
        server.close()
        return records, client, sockets

    return asyncio.run(go())


async def answering(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    await asyncio.sleep(0.05)  # the client's buffer is full meanwhile
    body = await reader.readexactly(size)
    assert body == b"x" * size
    writer.write(stream([*PLAIN, *END]))
    await writer.drain()


def test_a_request_that_is_larger_than_the_socket_takes_is_sent_whole():
    records, client, sockets = asked(answering, [b"x" * 20_000_000, b"x"])
    assert [one.outcome for one in records] == ["ok", "ok"] and all(one.new_connection for one in records)
    assert not client.all and not sockets.open  # every connection was forgotten


async def resetting(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.transport.abort()


def test_a_reset_while_a_large_request_is_written_ends_in_one_error():
    records, client, _ = asked(resetting, [b"x" * 20_000_000, b"x"])
    assert [one.outcome for one in records] == ["error", "error"] and not client.all


def test_a_name_with_several_addresses_is_tried_until_one_takes_the_connection():
    async def go():
        server = await asyncio.start_server(answering, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client, record = HttpClient(parse_address(f"localhost:{port}")), Record(0, 0.0)
        await client.send(request_bytes(client.address, "/v1/completions", b"x"), record)
        client.close()
        server.close()
        return record

    assert asyncio.run(go()).outcome == "ok"  # on most machines localhost is ::1 first
