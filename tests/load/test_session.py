"""The real client against real sockets: a server that fails in every way, and one whose times are known."""

import asyncio
import gc
import json
import signal
import time
import weakref
from collections import Counter

import pytest

from perfproof.core.errors import UnfitError
from perfproof.load import session
from perfproof.load.arrivals import Arrivals
from perfproof.load.driver import Limits
from perfproof.load.http_client import parse_address
from perfproof.load.known_server import Settings, serve
from perfproof.load.probe import find_service
from perfproof.load.profile import fixed
from perfproof.load.record_file import RecordFile, read_records
from perfproof.load.session import Plan, measure
from perfproof.load.step_model import StepModel
from perfproof.load.workload import Service
from tests.load.test_reply import END, PLAIN, stream

WAYS = ["ok", "429", "500", "reset", "garbage", "hang", "cut", "late reset"]


class FaultyServer(asyncio.Protocol):
    number = 0

    def connection_made(self, transport):
        self.transport, self.seen = transport, b""

    def data_received(self, data):
        self.seen += data
        head, end, body = self.seen.partition(b"\r\n\r\n")
        if not end or (b"POST" in head and not body.endswith(b"}")):
            return
        self.seen = b""
        if b"GET" in head:
            self.transport.write(b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n")
            return
        way = WAYS[FaultyServer.number % len(WAYS)]
        FaultyServer.number += 1
        said = b'{"error": {"message": "slow down"}}'
        whole = stream([*PLAIN, *END])
        if way == "ok":
            self.transport.write(whole)
        elif way in ("429", "500"):
            self.transport.write(b"HTTP/1.1 %s X\r\nContent-Length: %d\r\n\r\n%s" % (way.encode(), len(said), said))
        elif way == "garbage":
            self.transport.write(b"\x00\xff not http at all \r\n\r\n")
        elif way == "cut":
            self.transport.write(whole[:300])
            self.transport.close()
        elif way != "hang":
            self.transport.write(whole[:200] if way == "late reset" else b"")
            self.transport.abort()


def plan_for(port, **fields):
    service = Service(parse_address(f"127.0.0.1:{port}"), "m")
    values = {"seconds": 1.0, "seed": 1, "salt": "s", "arrivals": Arrivals("constant", (80.0,))} | fields
    return Plan(service, fixed(8, 4), **values)


def test_a_server_that_fails_in_every_way_crashes_nothing_and_every_request_is_accounted_for(tmp_path):
    async def go():
        server = await asyncio.get_running_loop().create_server(FaultyServer, "127.0.0.1", 0)
        file = RecordFile(tmp_path / "requests.jsonl", {"url": "x"})
        plan = plan_for(server.sockets[0].getsockname()[1], limits=Limits(timeout=0.4, drain=5))
        found = await measure(plan, file.add)
        file.close()
        server.close()
        return found

    found = asyncio.run(go())
    assert sorted(one.index for one in found.records) == list(range(80))
    outcomes = Counter(one.outcome for one in found.records)
    assert outcomes["ok"] >= 8 and outcomes["timeout"] >= 8 and sum(outcomes.values()) == 80
    said = " ".join({one.error for one in found.records})
    assert "status 429: slow down" in said and "status 500" in said and "closed" in said and "no HTTP" in said
    _, kept, wrong = read_records(tmp_path / "requests.jsonl")
    assert len(kept) == 80 and not wrong and Counter(one.outcome for one in kept) == outcomes


def test_a_server_that_dies_in_the_middle_leaves_errors_and_the_answers_before(tmp_path):
    async def go():
        server, steps = await serve(Settings(StepModel(0.002)))
        plan = plan_for(server.sockets[0].getsockname()[1], limits=Limits(timeout=2, drain=2))
        task = asyncio.create_task(measure(plan, lambda record: None))
        await asyncio.sleep(0.7)
        server.close()
        steps.cancel()
        return await task

    outcomes = Counter(one.outcome for one in asyncio.run(go()).records)
    assert sum(outcomes.values()) == 80 and outcomes["ok"] >= 10 and outcomes["ok"] < 80


def test_ctrl_c_keeps_what_was_measured():
    async def go():
        server, steps = await serve(Settings(StepModel(0.002)))
        asyncio.get_running_loop().call_later(0.8, signal.raise_signal, signal.SIGINT)
        found = await measure(plan_for(server.sockets[0].getsockname()[1], seconds=60.0), lambda record: None)
        steps.cancel()
        return found

    began = time.monotonic()
    found = asyncio.run(go())
    assert found.interrupted and 5 <= len(found.records) < 4000 and time.monotonic() - began < 40
    assert {one.outcome for one in found.records} <= {"ok", "unfinished"}


def test_the_probe_finds_model_fields_and_tokens_per_word_and_the_test_finds_the_cache():
    async def go():
        server, steps = await serve(Settings(StepModel(0.001), cache=True, continuous=False, tokens_per_event=2))
        address = parse_address(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        service = await find_service(address, None, None, {}, "probe")
        plan = Plan(service, fixed(64, 8), 0.5, 1, "s", arrivals=Arrivals("constant", (40.0,)))
        found = [await measure(plan, lambda record: None) for _ in range(2)]  # the same salt twice
        steps.cancel()
        server.close()
        return service, found

    service, (first, again) = asyncio.run(go())
    assert service.model == "known" and service.usage and not service.continuous
    assert service.tokens_per_word == pytest.approx(1.0, abs=0.01)
    assert [one.prompt_tokens for one in first.records] == [64] * 20
    assert all(one.tokens == [2, 2, 2, 2] and one.tokens_by == "estimated" for one in first.records)
    assert first.cache[1] == 0 and again.cache[1] / again.cache[0] > 0.9
    assert sum(one.cached_tokens for one in again.records) == again.cache[1]


class RefusingServer(asyncio.Protocol):
    """Answers every request as `answer` says."""

    def __init__(self, answer):
        self.answer = answer

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.transport.write(self.answer(data))


def probed(answer):
    async def go():
        server = await asyncio.get_running_loop().create_server(lambda: RefusingServer(answer), "127.0.0.1", 0)
        address = parse_address(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        try:
            return await find_service(address, "m", None, {}, "probe")
        finally:
            server.close()

    return asyncio.run(go())


def test_a_server_that_wants_the_newer_name_of_the_length_gets_it():
    said = b'{"error": {"message": "Unsupported parameter: max_tokens. Use max_completion_tokens instead."}}'

    def answer(request):
        refused = b"HTTP/1.1 400 X\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said)
        return refused if b'"max_tokens"' in request else stream([*PLAIN, *END])

    assert probed(answer).limit == "max_completion_tokens"


def test_the_tokens_of_a_word_are_found_where_the_context_is_short():
    def answer(request):
        words = request.count(b" ", request.index(b'"messages"'))
        usage = {"choices": [], "usage": {"prompt_tokens": 6 * words, "completion_tokens": 4}}
        told = stream([*PLAIN, json.dumps(usage), "[DONE]"])
        return told if words < 60 else b"HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n"

    assert probed(answer).tokens_per_word == pytest.approx(6, rel=0.1)


def test_a_server_that_points_elsewhere_is_named_with_the_place():
    moved = b"HTTP/1.1 307 X\r\nLocation: https://other.example/v1\r\nContent-Length: 0\r\n\r\n"
    with pytest.raises(UnfitError, match=r"307: it points to https://other\.example/v1"):
        probed(lambda request: moved)


def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path):
    path = tmp_path / "requests.jsonl"
    path.write_text(
        '{"perfproof": "1"}\n{"index":0,"outcome":"ok","intended":1000000,"times":[1500000]}\n{"index":1,"o'
    )
    about, records, wrong = read_records(path)
    assert about["perfproof"] and records[0].intended == 1.0 and records[0].tokens == [1] and "cut off" in wrong[0]


def test_requests_carry_what_the_server_takes():
    service = Service(parse_address("h:1"), "m", continuous=True, ignore_eos=True, extra={"temperature": 0}, key="k")
    head, _, body = service.request([{"role": "user", "content": 'a "b"'}], 5).partition(b"\r\n\r\n")
    said = json.loads(body)
    assert said["messages"][0]["content"] == 'a "b"' and said["max_tokens"] == 5 and said["temperature"] == 0
    assert said["stream_options"] == {"include_usage": True, "continuous_usage_stats": True} and said["ignore_eos"]
    assert b"Authorization: Bearer k" in head and f"Content-Length: {len(body)}".encode() in head


class Knot:
    """Garbage that only the collector finds."""

    def __init__(self):
        self.self = self


def test_the_collector_looks_once_at_what_stays_and_finds_new_garbage():
    before = list(gc.callbacks)
    with session._settled_objects():
        kept, lost = [Knot() for _ in range(100)], weakref.ref(Knot())
        gc.collect(0)
        assert lost() is None and not {id(one) for one in kept} & {id(one) for one in gc.get_objects()}
    assert gc.callbacks == before and gc.get_freeze_count() == 0


def test_what_became_garbage_after_the_first_look_is_found_after_the_test():
    with session._settled_objects():
        late = Knot()
        gc.collect(0)
        late = weakref.ref(late)
        gc.collect()
        assert late() is not None
    gc.collect()
    assert late() is None
