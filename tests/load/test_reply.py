"""Responses as servers really write them, cut into packets anywhere; tokens are counted the same each time."""

import json

import pytest

from perfproof.load.http_client import fill_tokens, judge
from perfproof.load.record import Record
from perfproof.load.reply import BrokenReply, Reply
from perfproof.load.tokens import Stream, read_events, scan, tokens_per_event

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def event(usage=None, finish=None, **delta):
    said = {"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return json.dumps(said | ({"usage": usage} if usage else {}), ensure_ascii=False)


def last_usage(tokens, prompt=7):
    return json.dumps({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": tokens}})


def stream(payloads, line_end="\n", chunked=True):
    parts = [f"data: {payload}{line_end}{line_end}".encode() for payload in payloads]
    if not chunked:
        return HEAD.replace(b"Transfer-Encoding: chunked\r\n", b"") + b"".join(parts)
    return HEAD + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def read(data, size=None):
    """Feed it in packets of so many bytes; packet n comes at time n."""
    reply, size = Reply(keep_text=True), size or len(data)
    packets = [data[at : at + size] for at in range(0, len(data), size)]
    for number, packet in enumerate(packets):
        reply.take(float(number), packet)
    if not reply.complete:
        reply.end(float(len(packets)))
    return reply


def said(reply):
    found, record = reply.events.end(), Record(0, 0.0, status=reply.status)
    fill_tokens(record, found, 0.0)
    judge(record, found)
    return record, found


PLAIN = [event(role="assistant", content=""), *(event(content=text) for text in (" on", "e", " wörd €", ' "q"\\'))]
END = [event(finish="stop"), last_usage(4), "[DONE]"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [None, 1, 2, 3, 7, 50, 333])
def test_every_cut_into_packets_gives_the_same_text_and_tokens(size, line_end):
    record, found = said(read(stream([*PLAIN, *END], line_end), size))
    assert (record.outcome, found.text, record.tokens, record.made) == ("ok", ' one wörd € "q"\\', [1, 1, 1, 1], 4)
    assert record.prompt_tokens == 7 and record.finish == "stop" and record.tokens_by == "one per event"


def test_comments_that_keep_the_connection_alive_are_no_events():
    data = stream([*PLAIN, *END]).replace(b"0\r\n\r\n", b"")
    comment = b": keep-alive\n\n"
    record, _ = said(read(data + b"%x\r\n%s\r\n0\r\n\r\n" % (len(comment), comment)))
    assert record.outcome == "ok" and len(record.times) == 4


def test_a_body_that_ends_with_the_connection_is_complete():
    record, _ = said(read(stream([*PLAIN, *END], chunked=False), 11))
    assert record.outcome == "ok" and record.made == 4


def test_the_first_token_is_not_the_event_that_only_names_the_role():
    reply = Reply()
    packets = stream([*PLAIN, *END]).split(b"data: ")
    for number, packet in enumerate(packets):
        reply.take(float(number), packet if number == 0 else b"data: " + packet)
    record, _ = said(reply)
    assert record.first_token == 2.0 and reply.first_byte == 0.0


def test_reasoning_is_a_token_and_the_first_answer_comes_later():
    events = [(1.0, event(reasoning_content="hm")), (2.0, event(reasoning="so")), (3.0, event(content="42"))]
    found = read_events([(time, text.encode()) for time, text in events])
    record = Record(0, 0.0)
    fill_tokens(record, found, 0.0)
    assert (record.first_token, record.first_answer) == (1.0, 3.0)


def test_usage_in_every_event_gives_the_tokens_of_each():
    texts = [event({"completion_tokens": total}, content="x" * 9) for total in (3, 4, 9)]
    found = read_events([(float(at), text.encode()) for at, text in enumerate(texts)])
    assert tokens_per_event(found) == ([3, 1, 5], "usage")


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (4, 4, 4, 4), (1, 1, 1, 1)])
def test_usage_in_every_event_that_does_not_grow_is_no_count_of_each(counts):
    texts = [event({"completion_tokens": total}, content="x") for total in counts]
    last = json.dumps({"choices": [], "usage": {"completion_tokens": 4}})
    found = read_events([(float(at), text.encode()) for at, text in enumerate([*texts, last])])
    assert tokens_per_event(found) == ([1, 1, 1, 1], "one per event")


def test_several_tokens_per_event_without_such_usage_are_shared_out_and_marked():
    found = Stream([0.0, 1.0], [10, 30], output_tokens=8)
    assert tokens_per_event(found) == ([2, 6], "estimated")


def test_without_usage_events_are_counted_and_not_called_tokens_of_the_server():
    found = read_events([(0.0, event(content="a").encode()), (1.0, event(content="b").encode())])
    assert tokens_per_event(found) == ([1, 1], "events") and found.output_tokens is None


def test_the_token_that_ends_a_text_does_not_make_the_others_estimates():
    found = Stream([0.0, 1.0, 2.0, 3.0, 4.0], [3] * 5, output_tokens=6)
    assert tokens_per_event(found) == ([1] * 5, "one per event")


@pytest.mark.parametrize(
    ("payloads", "word"),
    [
        ([*PLAIN, '{"error": {"message": "out of memory"}}'], "out of memory"),
        ([event(role="assistant"), event(finish="stop"), "[DONE]"], "no token"),
        (["<html>", "nonsense", "[DONE]"], "no JSON"),
        (PLAIN, "without a finish"),
    ],
)
def test_a_stream_that_is_no_answer_is_an_error_and_says_why(payloads, word):
    record, _ = said(read(stream(payloads)))
    assert record.outcome == "error" and word in record.error


def test_one_broken_event_among_good_ones_is_counted_and_the_rest_is_read():
    record, _ = said(read(stream([*PLAIN[:3], '{"choices": [', *PLAIN[3:], *END])))
    assert record.outcome == "ok" and record.garbage == 1 and len(record.times) == 4


@pytest.mark.parametrize(
    "data",
    [
        b"garbage",
        b"HTTP/9.9 what\r\n\r\n",
        HEAD + b"zz\r\nxx",
        HEAD + b"-5\r\nxx",
        HEAD + b"1_0\r\nxx",
        HEAD + b"5\r\nda",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        b"",
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_no_whole_response_is_refused(data, size):
    with pytest.raises(BrokenReply):
        read(data, size)


def test_bytes_behind_a_response_make_the_connection_unusable():
    reply = read(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1")
    assert reply.complete and not reply.reusable
    assert read(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").reusable


def packets_of(payloads):
    parts = [f"data: {payload}\n\n".encode() for payload in payloads]
    return [HEAD, *(b"%x\r\n%s\r\n" % (len(part), part) for part in parts), b"0\r\n\r\n"]


def in_packets(packets):
    reply = Reply(keep_text=True)
    for number, packet in enumerate(packets):
        reply.take(float(number), packet)
    return reply


@pytest.mark.parametrize("key", ["content", "reasoning_content"])
def test_events_that_differ_in_their_text_only_are_read_without_parsing_and_give_the_same(key, monkeypatch):
    texts = [" a", " word", " 7", " much longer words", ' "quoted"', " é", "\n", " last"]
    payloads = [event(**{key: text}) for text in texts] + END
    parsed = []
    monkeypatch.setattr("perfproof.load.tokens.scan", lambda text, at: parsed.append(text) or scan(text, at))
    record, found = said(in_packets(packets_of(payloads)))
    few = len(parsed)
    slow, whole = said(read(stream(payloads), 7))
    assert found.times == [float(at) for at in range(1, 9)] and found.characters == whole.characters
    assert found.text == whole.text == ("".join(texts) if key == "content" else "")
    assert record.outcome == slow.outcome == "ok" and few <= 7  # of ten: plain text after plain text is not parsed


def counted(text, total, blank, last=None):
    said = {"choices": [{"index": 0, "delta": {"content": text}}], "usage": {"completion_tokens": total}}
    return json.dumps(said | (last or {}), separators=(",", f":{blank}"))


@pytest.mark.parametrize("blank", ["", " "])
def test_of_events_with_usage_only_the_usage_is_parsed_and_gives_the_tokens_of_each(blank, monkeypatch):
    payloads = [counted(" word", total, blank) for total in (2, 3, 7, 10)]
    parsed = []
    monkeypatch.setattr("perfproof.load.tokens.scan", lambda text, at: parsed.append(text) or scan(text, at))
    record, _ = said(in_packets(packets_of([*payloads, *END[:1], last_usage(10), "[DONE]"])))
    assert (record.outcome, record.tokens, record.tokens_by) == ("ok", [2, 1, 4, 3], "usage")
    assert sum("choices" in text for text in parsed) == 3  # the first, the finish and the last usage


@pytest.mark.parametrize(
    "odd",
    [
        counted(" word", 5, "", {"error": {"message": "full"}}),
        counted(" word", 5, "")[:-1],
        counted(" word", 5, "") + "}",
        counted(" word", 5, "").replace("5", "[5]"),
        counted(" word", 5, "").replace('{"completion_tokens":5}', "null"),
    ],
)
def test_an_event_with_usage_that_only_looks_like_the_one_before_gives_what_parsing_gives(odd):
    first = counted(" word", 2, "")
    _, found = said(in_packets(packets_of([first, odd])))
    alone = read_events([(1.0, odd.encode())])
    assert len(found.times) == 1 + len(alone.times)
    assert (found.garbage, found.error) == (alone.garbage, alone.error)
    assert found.output_tokens == (2 if alone.output_tokens is None else alone.output_tokens)


@pytest.mark.parametrize("text", ["", 'x","finish_reason":"stop', "\\u0041", "x\\"])
def test_what_only_looks_like_the_event_before_is_parsed(text):
    before, after = event(content="word").split("word")
    _, found = said(in_packets(packets_of([event(content="word"), before + text + after])))
    parsed = read_events([(0.0, event(content="word").encode()), (1.0, (before + text + after).encode())])
    assert found.characters == parsed.characters
    assert (found.finish, found.garbage) == (parsed.finish, parsed.garbage)


def test_a_chunk_whose_size_is_not_that_of_its_event_is_not_taken_for_one():
    good = packets_of([event(content="word")] * 3)
    lying = good[2].replace(b"\r\n", b"0\r\n", 1)
    reply = in_packets([*good[:2], lying])
    assert len(reply.events.stream.times) == 2 and not reply.complete  # its event ended, its chunk did not
    with pytest.raises(BrokenReply):
        in_packets([*good[:2], good[2].replace(b"\r\n", b"g\r\n", 1)])


def test_lines_that_are_no_json_are_garbage_also_between_events():
    _, found = said(in_packets(packets_of([event(content="word"), "word", event(content="word"), "word"])))
    assert len(found.times) == 2 and found.garbage == 2
