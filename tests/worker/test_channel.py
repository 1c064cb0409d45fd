"""The line between the run and a worker: what is sent arrives, what is forged is noticed."""

import socket
import time

import pytest

from perfproof.core.errors import WorkerLied, WorkerTimeout
from perfproof.worker.channel import Channel, ChannelClosed

KEY = b"k" * 32


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_messages_arrive_in_order_whatever_their_length(ends):
    here, there = Channel(ends[0], KEY), Channel(ends[1], KEY)
    messages = [{"number": number, "text": "x" * number * 1000, "odd": "line\nbreak é"} for number in range(5)]
    for message in messages:
        here.send(message)
    assert [there.receive() for _ in messages] == messages


def test_a_line_without_the_key_is_a_lie(ends):
    Channel(ends[0], b"other" * 6).send({"rows": []})
    with pytest.raises(WorkerLied, match="forged"):
        Channel(ends[1], KEY).receive()


def test_a_line_that_was_sent_before_is_a_lie(ends):
    writer, reader = Channel(ends[0], KEY), Channel(ends[1], KEY)
    writer.send({"rows": [1]})
    line = ends[1].recv(4096, socket.MSG_PEEK)
    assert reader.receive() == {"rows": [1]}
    ends[0].sendall(line)
    with pytest.raises(WorkerLied):
        reader.receive()


def test_a_changed_byte_is_a_lie(ends):
    Channel(ends[0], KEY).send({"seconds": 1.0})
    line = ends[1].recv(4096)
    ends[0].sendall(line.replace(b"1.0", b"0.1"))
    with pytest.raises(WorkerLied):
        Channel(ends[1], KEY).receive()


@pytest.mark.parametrize("junk", [b"\n", b"0\n", b"{}\n", b"0 abc {\n", b"\xff\xfe \x00\n"])
def test_junk_is_a_lie_and_no_crash(ends, junk):
    ends[0].sendall(junk)
    with pytest.raises(WorkerLied):
        Channel(ends[1], KEY).receive()


def test_silence_ends_at_the_deadline(ends):
    with pytest.raises(WorkerTimeout):
        Channel(ends[1], KEY).receive(deadline=time.monotonic() + 0.05)


def test_a_closed_end_is_told_from_silence(ends):
    ends[0].close()
    with pytest.raises(ChannelClosed):
        Channel(ends[1], KEY).receive()
