"""Streams of real servers: their tokens are counted however they are cut, and their errors are errors."""

import json
import random

import pytest

from perfproof.load.reply import Reply
from tests.load.recorded_servers import CASES, Recorded, usage, vllm
from tests.load.test_reply import HEAD, said


def packets(case, spaces):
    """The response as chunks of one event each, then the end."""
    separators = (", ", ": ") if spaces else (",", ":")
    payloads = [*(json.dumps(one, separators=separators, ensure_ascii=False) for one in case.events)]
    payloads += ["[DONE]"] if case.done else []
    parts = [f"{case.before}{one}{2 * case.line_end}".encode() for one in payloads]
    parts[0] = case.extra + parts[0]
    return [HEAD, *((case.size % len(one)).encode() + b"\r\n" + one + b"\r\n" for one in parts), b"0\r\n\r\n"]


@pytest.mark.parametrize("spaces", [False, True])
@pytest.mark.parametrize("cut", ["per event", 1, 9, 10_000])
@pytest.mark.parametrize("name", CASES)
def test_the_tokens_of_a_real_server_are_counted_however_its_stream_is_cut(name, cut, spaces):
    case = CASES[name]
    found = packets(case, spaces)
    whole = b"".join(found)
    reply = Reply(keep_text=True)
    cuts = found if cut == "per event" else [whole[at : at + cut] for at in range(0, len(whole), cut)]
    for number, packet in enumerate(cuts):
        reply.take(float(number), packet)
    record, stream = said(reply)
    assert reply.complete and record.outcome == "ok" and record.garbage == 0, record
    assert (record.tokens, record.tokens_by, record.made) == (case.tokens, case.by, case.made)
    assert (record.prompt_tokens, record.cached_tokens, record.finish) == (case.prompt, case.cached, case.finish)
    assert stream.text == case.text
    if cut == "per event":  # the head is packet 0
        assert (record.first_token, record.first_answer) == (case.first + 1.0, case.answer + 1.0)


@pytest.mark.parametrize("name", CASES)
def test_a_stream_cut_at_random_places_gives_what_it_gives_whole(name):
    whole = b"".join(packets(CASES[name], False))
    expected, text = outcome_of([whole])
    draw = random.Random(name)
    for _ in range(12):
        cuts = sorted(draw.sample(range(1, len(whole)), draw.randint(1, 40)))
        found, read = outcome_of([whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)])
        assert (found.tokens, found.tokens_by, found.outcome, read) == (expected.tokens, expected.tokens_by, "ok", text)
        assert found.times == sorted(found.times) and len(found.times) == len(expected.times)


def outcome_of(cuts):
    reply = Reply(keep_text=True)
    for number, packet in enumerate(cuts):
        reply.take(float(number), packet)
    record, stream = said(reply)
    return record, stream.text


def one_response(*blocks):
    parts = [b"%x\r\n%s\r\n" % (len(one), one) for one in blocks]
    return outcome_of([HEAD, *parts, b"0\r\n\r\n"])[0]


def data(event):
    return b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n"


@pytest.mark.parametrize(
    "block",
    [
        b'event: error\ndata: {"message": "no memory"}\n\n',
        b'event:error\ndata:{"error":"no memory","error_type":"generation"}\n\n',
        b'error: {"code": 500, "message": "no memory", "type": "server_error"}\n\n',
        b"event: error\ndata: no memory\n\n",
    ],
)
def test_an_event_that_is_called_an_error_is_one_whatever_stands_in_it(block):
    record = one_response(data(vllm({"content": "a"})), block, data(vllm({}, "stop")))
    assert record.outcome == "error" and "no memory" in record.error


def test_an_event_with_another_name_is_read_as_any_other():
    named = b"event: message\nid: 7\nretry: 10\n" + data(vllm({"content": "error: none"}))
    assert one_response(named, data(vllm({}, "stop"))).outcome == "ok"


@pytest.mark.parametrize(("finish", "outcome"), [("abort", "error"), ("error", "error"), ("content_filter", "ok")])
def test_an_answer_that_the_server_gave_up_is_no_answer(finish, outcome):
    assert one_response(data(vllm({"content": "a"})), data(vllm({}, finish))).outcome == outcome


def test_a_character_cut_between_two_events_costs_no_token():
    halves = [data(vllm({"content": "X"})).replace(b"X", half) for half in ("é".encode()[:1], "é".encode()[1:])]
    record = one_response(*halves, data(vllm({}, "stop")), data(usage(2, 5)))
    assert record.outcome == "ok" and record.garbage == 0 and record.tokens == [1, 1]


@pytest.mark.parametrize(
    "payload",
    [
        {
            "object": "error",
            "message": "max_tokens is too large",
            "type": "BadRequestError",
            "code": 400,
        },  # vLLM, older
        {"error": {"message": "max_tokens is too large", "type": "BadRequestError", "code": 400}},  # vLLM, SGLang
        {"error": "max_tokens is too large", "error_type": "validation"},  # TGI
    ],
)
def test_the_error_of_each_server_is_an_error_with_its_words(payload):
    case = Recorded("", [vllm({"content": "a"}), payload], [], "", 0)
    reply = Reply()
    for packet in packets(case, False):
        reply.take(0.0, packet)
    record, _ = said(reply)
    assert record.outcome == "error" and "max_tokens is too large" in record.error
