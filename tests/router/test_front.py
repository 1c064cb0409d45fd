"""The router on real sockets, in front of servers of known behaviour and of servers that fail in every way."""

import asyncio
import http.client
import json
import re
import socket
from contextlib import asynccontextmanager

import pytest

from perfproof.core.errors import UsageError
from perfproof.load import known_server
from perfproof.load.http_client import parse_address
from perfproof.load.step_model import StepModel
from perfproof.router.front import RouteSettings, make_proxy, route

FAST = RouteSettings(policy="round-robin", probe=0.05, silence=0.4, drain=5.0)
PROMPT = " ".join(["word"] * 200)


async def start_known(base: float = 0.001, prefill: float = 0.0) -> tuple[asyncio.Server, asyncio.Task]:
    return await known_server.serve(known_server.Settings(StepModel(base, prefill, 0.0, 0.0), cache=True))


async def start_faulty(answer) -> asyncio.Server:
    """Answers probes; `answer(writer)` is what becomes of anything else."""

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/health" in head:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
        else:
            await answer(writer)
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", 0)


def address_of(server: asyncio.Server) -> str:
    return f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def routed(addresses: list[str], settings: RouteSettings = FAST):
    """The port of a running router, and its proxy."""
    listening, stop = socket.create_server(("127.0.0.1", 0)), asyncio.Event()
    proxy = make_proxy([parse_address(one) for one in addresses], settings)
    running = asyncio.create_task(route(listening, proxy, settings, stop))
    try:
        async with asyncio.timeout(20):
            while not all(worker.is_up for worker in proxy.router.workers):
                await asyncio.sleep(0.005)
        yield listening.getsockname()[1], proxy
    finally:
        stop.set()
        await asyncio.wait_for(running, 20)


async def ask(
    port: int, path: str = "/v1/completions", tokens: int = 4, headers: str = "", **fields
) -> tuple[int, str]:
    """Status and the whole answer, as text."""
    body = json.dumps({"prompt": PROMPT, "max_tokens": tokens, "stream": True, **fields}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    method = "POST" if path.startswith("/v1/c") else "GET"
    length = f"content-length: {len(body)}\r\n" if method == "POST" else ""
    head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n{headers}{length}\r\n"
    try:
        writer.write(head.encode() + (body if method == "POST" else b""))
        async with asyncio.timeout(20):
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer.lower())
            answer += await (reader.readexactly(int(length[1])) if length else reader.read())
    finally:
        writer.close()
    return int(answer[9:12]), answer.decode()


def test_answers_pass_through_and_the_turns_and_counters_are_right():
    async def scene():
        (one, first), (two, second) = await start_known(), await start_known()
        async with routed([address_of(one), address_of(two)]) as (port, proxy):
            answers = [await ask(port) for _ in range(4)]
            assert [worker.placed for worker in proxy.router.workers] == [2, 2]
            assert all(status == 200 and text.count("word") == 4 and "[DONE]" in text for status, text in answers)
            whole = await ask(port, stream=False)
            assert whole[0] == 200 and '"completion_tokens": 4' in whole[1]
            assert (await ask(port, "/v1/models"))[1].count('"known"') == 1
            assert "2 of 2" in (await ask(port, "/health"))[1]
            counted = (await ask(port, "/metrics"))[1]
            assert "perfproof_router_placed_total 6" in counted and "_in_flight" in counted
            assert not any(worker.jobs for worker in proxy.router.workers)
        first.cancel(), second.cancel()

    asyncio.run(scene())


def test_kv_aware_sends_a_known_beginning_to_its_worker_and_round_robin_does_not():
    async def hits(policy: str) -> int:
        (one, first), (two, second) = await start_known(), await start_known()
        async with routed([address_of(one), address_of(two)], RouteSettings(policy, probe=0.05)) as (port, _):
            for number in range(6):
                await ask(port, prompt=f"{'abc'[number % 3]} " * 200)
            found = [await ask(int(one.sockets[0].getsockname()[1]), "/metrics") for one in (one, two)]
        first.cancel(), second.cancel()
        return sum(int(text.rsplit("hits_total", 1)[1]) for _, text in found)

    assert asyncio.run(hits("kv-aware")) > 3 * 150 > 10 > asyncio.run(hits("round-robin"))


def test_a_worker_that_dies_is_passed_over_and_taken_back():
    async def scene():
        (one, first), (two, second) = await start_known(), await start_known()
        async with routed([address_of(one), address_of(two)]) as (port, proxy):
            first.cancel()
            dead = one.sockets[0].getsockname()[1]
            one.close()
            assert [(await ask(port))[0] for _ in range(4)] == [200] * 4
            assert not proxy.router.workers[0].is_up
            assert "1 of 2" in (await ask(port, "/health"))[1]
            _, third = await known_server.serve(known_server.Settings(StepModel(0.001, 0, 0, 0)), port=dead)
            for _ in range(100):
                await asyncio.sleep(0.02)
                if proxy.router.workers[0].is_up:
                    break
            before = proxy.router.workers[0].placed
            assert [(await ask(port))[0] for _ in range(2)] == [200] * 2
            assert proxy.router.workers[0].placed == before + 1
        second.cancel(), third.cancel()

    asyncio.run(scene())


async def hang(writer):
    await asyncio.sleep(20)


async def reset(writer):
    writer.transport.abort()


async def garbage(writer):
    writer.write(b"I am no web server\r\n\r\n")


async def no_room(writer):
    writer.write(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\n{}")


@pytest.mark.parametrize("fault", [hang, reset, garbage, no_room])
def test_a_request_without_an_answer_goes_to_another_worker(fault):
    async def scene():
        (good, steps), bad = await start_known(), await start_faulty(fault)
        async with routed([address_of(bad), address_of(good)]) as (port, proxy):
            assert [(await ask(port))[0] for _ in range(2)] == [200, 200]
            assert proxy.router.counts["retried"] >= 1 and proxy.router.workers[0].failed >= 1
        steps.cancel()

    asyncio.run(scene())


def test_a_refusal_of_the_only_worker_is_the_answer():
    async def scene():
        bad = await start_faulty(no_room)
        async with routed([address_of(bad)]) as (port, _):
            assert (await ask(port))[0] == 429

    asyncio.run(scene())


def test_a_stream_that_breaks_ends_with_an_error_and_is_not_continued_by_another_worker():
    async def breaks(writer):
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        writer.write(head + b"6\r\ndata: \r\n")
        await writer.drain()
        await asyncio.sleep(0.05)
        writer.transport.abort()

    async def scene():
        (good, steps), bad = await start_known(), await start_faulty(breaks)
        async with routed([address_of(bad), address_of(good)]) as (port, proxy):
            status, text = await ask(port)
            assert status == 200 and '"error"' in text and "word" not in text and text.endswith("0\r\n\r\n")
            assert proxy.router.workers[1].placed == 0 and proxy.router.counts["failed"] == 1
        steps.cancel()

    asyncio.run(scene())


def test_with_every_worker_gone_the_answer_is_503_and_the_router_lives():
    async def scene():
        one, steps = await start_known()
        async with routed([address_of(one)]) as (port, _):
            steps.cancel()
            one.close()
            assert [(await ask(port))[0] for _ in range(2)] == [503, 503]
            assert (await ask(port, "/health"))[0] == 503

    asyncio.run(scene())


def test_a_burst_above_the_limit_is_refused_early_and_the_rest_is_in_time():
    async def scene(limit):
        one, steps = await start_known(prefill=0.0005)  # 200 words: 0.1 s
        settings = RouteSettings("least-loaded", limit, probe=5.0)
        async with routed([address_of(one)], settings) as (port, _):
            await ask(port)
            found = await asyncio.gather(*(ask(port, prompt=f"{number} " * 200) for number in range(12)))
        steps.cancel()
        return [status for status, _ in found], [text for status, text in found if status == 429]

    statuses, said = asyncio.run(scene(0.5))
    assert 0 < statuses.count(200) < 12 and statuses.count(429) == 12 - statuses.count(200)
    assert all("retry-after: " in text and "too late" in text for text in said)
    assert asyncio.run(scene(None))[0] == [200] * 12


def test_a_client_that_goes_away_frees_its_worker():
    async def scene():
        one, steps = await start_known(base=0.02)
        async with routed([address_of(one)]) as (port, proxy):
            gone = asyncio.create_task(ask(port, tokens=5000))
            while not proxy.router.workers[0].jobs:
                await asyncio.sleep(0.01)
            gone.cancel()
            for _ in range(200):
                await asyncio.sleep(0.02)
                if not proxy.router.workers[0].jobs:
                    break
            assert proxy.router.counts["client_gone"] == 1 and proxy.router.counts["failed"] == 0
        steps.cancel()

    asyncio.run(scene())


def test_strangers_and_pages_of_other_sites_are_refused_and_a_key_is_needed_if_there_is_one():
    async def scene():
        one, steps = await start_known()
        async with routed([address_of(one)]) as (port, proxy):
            assert (await ask(port, headers="origin: http://evil.example\r\n"))[0] == 403
            proxy.key = "a key of some length"
            assert (await ask(port))[0] == 401
            assert (await ask(port, headers="authorization: Bearer a key of some length\r\n"))[0] == 200
        steps.cancel()

    asyncio.run(scene())


def test_a_client_that_writes_its_whole_large_body_still_reads_the_refusal():
    def whole(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", "/v1/completions", b"x" * 20_000_000)  # it reads nothing before the end of the body
        status = connection.getresponse().status
        connection.close()
        return status

    async def scene():
        one, steps = await start_known()
        async with routed([address_of(one)]) as (port, _):
            assert await asyncio.to_thread(whole, port) == 413
        steps.cancel()

    asyncio.run(scene())


def test_settings_that_make_no_sense_are_refused():
    address = parse_address("127.0.0.1:1")
    with pytest.raises(UsageError, match="kv-aware"):
        make_proxy([address], RouteSettings(policy="random"))
    with pytest.raises(UsageError, match="twice"):
        make_proxy([address, address], RouteSettings())
