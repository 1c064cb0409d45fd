"""Messages are read to their end in every framing, at every split; what could hide a second request is refused."""

import asyncio

import pytest

from perfproof.router.message import BadMessage, BodyEnd, Head, read_head, read_request_body

CHUNKED = b"5\r\nhello\r\n3;x=1\r\na\n\r\r\n0\r\nX-T: 1\r\n\r\n"


def read(text: bytes, most: int = 100):
    async def both():
        reader = asyncio.StreamReader(limit=1000)
        reader.feed_data(text)
        reader.feed_eof()
        head = await read_head(reader)
        return head, await read_request_body(reader, head, most) if head else b""

    return asyncio.run(both())


def test_a_request_is_read_with_its_length_or_its_chunks():
    head, body = read(b"POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
    assert (head.first, head.get(b"host"), body) == ([b"POST", b"/v1", b"HTTP/1.1"], b"a", b"hello")
    assert read(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED)[1] == b"helloa\n\r"
    assert read(b"") == (None, b"")


@pytest.mark.parametrize(
    "text",
    [
        b"hello there\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost",
        b"POST / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length : 5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nContent-Length: five\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nContent-Length: 500\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNKED,
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n",
        b"POST / HTTP/1.1\r\nX: " + b"x" * 2000,
    ],
)
def test_a_broken_request_is_refused(text):
    with pytest.raises(BadMessage):
        read(text)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_the_end_of_a_chunked_body_is_found_at_every_split(size):
    end = BodyEnd(Head([b"HTTP/1.1", b"200", b"OK"], [(b"transfer-encoding", b"chunked")]))
    text, got = CHUNKED + b"more", b""
    for at in range(0, len(text), size):
        got += end.take(text[at : at + size])
        assert end.is_complete == (len(got) >= len(CHUNKED))
    assert got == CHUNKED


def test_the_other_framings_end_where_they_say():
    end = BodyEnd(Head([b"HTTP/1.1", b"200"], [(b"content-length", b"3")]))
    assert (end.take(b"ab"), end.is_complete, end.take(b"cd"), end.is_complete) == (b"ab", False, b"c", True)
    assert BodyEnd(Head([b"HTTP/1.1", b"204"])).is_complete
    assert BodyEnd(Head([b"HTTP/1.1", b"200"])).until_close


def test_headers_of_one_connection_do_not_travel_on():
    head = Head([b"GET", b"/", b"HTTP/1.1"], [(b"connection", b"keep-alive"), (b"accept", b"*"), (b"te", b"x")])
    assert head.encode((b"host", b"h")) == b"GET / HTTP/1.1\r\naccept: *\r\nhost: h\r\n\r\n"
