"""One HTTP/1.1 response, read as its packets come: status, headers, and a body of server-sent events or of JSON.

Most packets of a stream are one chunk with one event, and differ from the packet before in the text only. They are
recognised without parsing, which keeps the time between two sends short. The time of an event is the time of the
packet that completed it.
"""

from perfproof.load.tokens import Around, EventReader

LONGEST_HEAD = 65_536
LONGEST_BODY = 64 * 2**20
MOST_DIGITS = 8  # of a chunk's size
NO_BODY = frozenset((204, 304))


class BrokenReply(Exception):
    """What came is no HTTP/1.1 response, or one cut short."""


class Reply:
    """Feed it packets with `take` and the end of the connection with `end`; `complete` says when it is all there."""

    __slots__ = (
        "_around",
        "_at_event",
        "_body_left",
        "_carried",
        "_chunked",
        "_in_chunk",
        "_in_trailer",
        "_lines",
        "_openings",
        "_plain",
        "complete",
        "events",
        "first_byte",
        "headers",
        "last_byte",
        "received",
        "reusable",
        "status",
        "streaming",
    )

    def __init__(self, keep_text: bool = False) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.events = EventReader(keep_text)
        # What a packet that is one chunk with one plain event has before its text, by its length; and `around` for it.
        self._openings: dict[int, bytes] = {}
        self._around: Around | None = None
        self.complete = False
        self.streaming = False  # the body is a stream of events
        self.reusable = True  # the connection may carry another request
        self.first_byte: float | None = None
        self.last_byte = 0.0
        self.received = 0
        self._carried = b""  # not parsed yet: of the head, of a chunk's size line, of an event
        self._lines = b""  # of the event stream: text after the last complete event
        self._plain: list[bytes] = []
        self._body_left: int | None = None  # bytes; None: until the connection ends
        self._chunked = False
        self._in_chunk = 0  # bytes of the chunk that are still to come, with its line end
        self._in_trailer = False
        self._at_event = False  # nothing of the next event came so far, and it may be a plain one

    @property
    def body(self) -> bytes:
        return b"".join(self._plain)

    def take(self, time: float, data: bytes) -> bool:
        """Read a packet; True if the response is complete with it."""
        if self._at_event and data.endswith(b"\n\n\r\n"):
            opening = self._openings.get(len(data)) or self._opening(data)
            if data.startswith(opening) and self.events.plain(time, data[len(opening) : -4]):
                return False
        if self.first_byte is None:
            self.first_byte = time
        self.last_byte = time
        self.received += len(data)
        if not self.status:
            data = self._head(data)
        if data and not self.complete:
            self._body(time, data)
            self._expect_plain_event()
        return self.complete

    def end(self, time: float) -> None:
        """The server closed the connection."""
        self.reusable = False
        if self.complete:
            return
        if self.status and not self._chunked and self._body_left is None:
            self._end_events(time)
            self.complete = True
            return
        raise BrokenReply("closed before a response" if self.first_byte is None else "closed inside the response")

    def _head(self, data: bytes) -> bytes:
        """Read status and headers; what is behind them. Interim responses (1xx) are passed over."""
        text = self._carried + data
        while True:
            head, end, rest = text.partition(b"\r\n\r\n")
            if not end:
                if len(text) > LONGEST_HEAD or not text.startswith(b"HTTP/1."[: len(text)]):
                    raise BrokenReply("no HTTP/1.1 response")
                self._carried = text
                return b""
            first, *lines = head.split(b"\r\n")
            version, _, after = first.partition(b" ")
            if version not in (b"HTTP/1.1", b"HTTP/1.0") or not after[:3].isdigit():
                raise BrokenReply("no HTTP/1.1 response")
            status = int(after[:3])
            if 100 <= status < 200:
                text = rest
                continue
            break
        self.status, self._carried = status, b""
        for line in lines:
            name, _, value = line.partition(b":")
            self.headers[name.strip().lower()] = value.strip()
        self._choose_body(version)
        return rest

    def _choose_body(self, version: bytes) -> None:
        connection = self.headers.get(b"connection", b"").lower()
        self.reusable = connection != b"close" and (version == b"HTTP/1.1" or connection == b"keep-alive")
        self._chunked = b"chunked" in self.headers.get(b"transfer-encoding", b"").lower()
        self.streaming = self.headers.get(b"content-type", b"").lower().startswith(b"text/event-stream")
        packed = self.headers.get(b"content-encoding", b"identity").lower()
        if packed != b"identity":  # a compressor holds events back, so their times would be its own
            raise BrokenReply(f"the response is packed with {packed.decode(errors='replace')[:20]}; switch that off")
        length = self.headers.get(b"content-length")
        if self.status in NO_BODY:
            self.complete = True
        elif not self._chunked and length is not None:
            if not length.isdigit():
                raise BrokenReply("a content length that is no number")
            self._body_left = int(length)
            self.complete = self._body_left == 0

    def _body(self, time: float, data: bytes) -> None:
        if self._chunked:
            self._chunks(time, data)
        elif self._body_left is None:
            self._content(time, data)
        else:
            mine = data[: self._body_left]
            self._body_left -= len(mine)
            self._content(time, mine)
            if self._body_left == 0:
                self._finish(time, surplus=len(mine) < len(data))

    def _chunks(self, time: float, data: bytes) -> None:
        if self._carried:
            data, self._carried = self._carried + data, b""
        at, size, content = 0, len(data), []
        while at < size and not self._in_trailer:
            if self._in_chunk:
                end = at + self._in_chunk
                content.append(data[at : max(at, end - 2)])
                self._in_chunk, at = max(0, end - size), min(end, size)
                continue
            end = data.find(b"\r\n", at)
            if end < 0:
                break
            length, at = _size_of(data[at:end]), end + 2
            self._in_trailer = length == 0
            self._in_chunk = length + 2 if length else 0  # its line end counts as its part
        if content:
            self._content(time, content[0] if len(content) == 1 else b"".join(content))
        while self._in_trailer and (end := data.find(b"\r\n", at)) >= 0:
            line, at = data[at:end], end + 2
            if not line:
                return self._finish(time, surplus=at < size)
        self._carried = data[at:]
        if len(self._carried) > LONGEST_HEAD:
            raise BrokenReply("a chunk without a size")

    def _expect_plain_event(self) -> None:
        """Note whether the next packet may be one chunk with one plain event, and what is before its text then."""
        around = self.events.around
        started = self._in_chunk or self._lines or self._carried or self._in_trailer
        self._at_event = around is not None and self._chunked and not started
        if around is not None and around is not self._around:
            self._around, self._openings = around, {}

    def _opening(self, data: bytes) -> bytes:
        """What a packet as long as this one has before its text. The size of its chunk is in upper or lower case."""
        assert self._around is not None
        digits = data.find(b"\r\n", 1, MOST_DIGITS)
        if digits < 0 or _size_of(data[:digits]) != len(data) - digits - 4:
            return data  # no such packet: nothing is left for a text
        self._openings[len(data)] = opening = data[:digits] + b"\r\ndata: " + self._around.before
        return opening

    def _content(self, time: float, data: bytes) -> None:
        if not self.streaming:
            if self.received > LONGEST_BODY:
                raise BrokenReply("a body of more than 64 MiB")
            self._plain.append(data)
            return
        text, held = self._lines + data, b""
        if b"\r" in text:  # all three line ends of the standard become one; a trailing one may be half of a pair
            held = b"\r" if text.endswith(b"\r") else b""
            text = text[: len(text) - len(held)].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *blocks, rest = text.split(b"\n\n")
        for block in blocks:
            self._event(time, block)
        self._lines = rest + held

    def _event(self, time: float, block: bytes) -> None:
        if block.startswith((b"data: {", b"data: [")) and b"\n" not in block:
            self.events.read(time, block[6:])
            return
        lines, failed = [], False
        for line in block.split(b"\n"):
            name, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if name in (b"data", b"error"):  # llama.cpp writes an error as a field of its own
                lines.append(value)
            failed = failed or name == b"error" or (name, value) == (b"event", b"error")
        if failed:
            self.events.fail(b"\n".join(lines))
        elif lines:
            self.events.read(time, b"\n".join(lines))

    def _end_events(self, time: float) -> None:
        """A last event may lack its empty line."""
        if self._lines.strip():
            self._event(time, self._lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip(b"\n"))
        self._lines = b""

    def _finish(self, time: float, surplus: bool) -> None:
        self._end_events(time)
        self.complete = True
        if surplus:  # bytes that belong to no request: the connection cannot be trusted with another
            self.reusable = False


def _size_of(digits: bytes) -> int:
    """The size of a chunk, by the line before it."""
    if not digits.isalnum():
        digits = digits.partition(b";")[0].strip()
    try:
        return int(digits if digits.isalnum() else b"", 16)  # int() takes signs and underscores too
    except ValueError:
        raise BrokenReply("a chunk without a size") from None
