"""HTTP/1.1 messages as the router passes them on: the head is read, the body goes through as it is."""

import asyncio
from dataclasses import dataclass, field

LONGEST_HEAD = 65_536
# Headers about one connection: they do not travel on.
OF_A_CONNECTION = frozenset((b"connection", b"keep-alive", b"proxy-connection", b"te", b"upgrade"))


class BadMessage(Exception):
    """What came is no HTTP/1.1 message, or one that was cut short. `status` is the answer for a client."""

    def __init__(self, what: str, status: int = 400) -> None:
        super().__init__(what)
        self.status = status


@dataclass
class Head:
    first: list[bytes]  # the parts of the first line
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)  # names in lower case

    def get(self, name: bytes) -> bytes | None:
        return next((value for key, value in self.headers if key == name), None)

    @property
    def is_chunked(self) -> bool:
        return b"chunked" in (self.get(b"transfer-encoding") or b"").lower()

    @property
    def length(self) -> int | None:
        said = self.get(b"content-length")
        if said is None:
            return None
        if not said.isdigit():
            raise BadMessage("a content length that is no number")
        return int(said)

    @property
    def keeps_open(self) -> bool:
        return (self.get(b"connection") or b"").lower() != b"close"

    def encode(self, *extra: tuple[bytes, bytes], without: frozenset[bytes] = frozenset()) -> bytes:
        left_out = OF_A_CONNECTION | without
        kept = [(name, value) for name, value in self.headers if name not in left_out]
        lines = [b" ".join(self.first), *(name + b": " + value for name, value in [*kept, *extra])]
        return b"\r\n".join(lines) + b"\r\n\r\n"


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """None if the other side closed the connection before anything came."""
    try:
        text = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise BadMessage("the connection ended inside the head") from None
    except asyncio.LimitOverrunError:
        raise BadMessage("a head of more than 64 KiB", 431) from None
    first, *lines = text[:-4].split(b"\r\n")
    parts = first.split(b" ", 2)
    if len(parts) < 2 or not any(part.startswith(b"HTTP/1.") for part in (parts[0], parts[-1])):
        raise BadMessage("no HTTP/1.1 message")
    headers = []
    for line in lines:
        name, colon, value = line.partition(b":")
        if not colon or not name or name != name.strip():
            raise BadMessage("a header line without a name")
        headers.append((name.lower(), value.strip()))
    return Head(parts, headers)


async def read_request_body(reader: asyncio.StreamReader, head: Head, most: int) -> bytes:
    """The body of a client's request; both framings at once would let one request hide another, so that is refused."""
    if head.is_chunked and head.length is not None:
        raise BadMessage("a content length and chunks at once")
    body = bytearray()
    if not head.is_chunked:
        length = head.length or 0
        if length > most:
            raise BadMessage(f"the body is larger than {most:,} bytes", 413)
        return await _exactly(reader, length)
    while size := await _chunk_size(reader):
        if len(body) + size > most:
            raise BadMessage(f"the body is larger than {most:,} bytes", 413)
        body += await _exactly(reader, size)
        await _exactly(reader, 2)
    while (await reader.readline()).strip():
        pass  # trailers
    return bytes(body)


async def _exactly(reader: asyncio.StreamReader, size: int) -> bytes:
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError:
        raise BadMessage("the connection ended inside the body") from None


async def _chunk_size(reader: asyncio.StreamReader) -> int:
    line = await reader.readline()
    try:
        return int(line.partition(b";")[0], 16)
    except ValueError:
        raise BadMessage("a chunk without a size") from None


class BodyEnd:
    """Follows the bytes of a response and knows when the body is complete, in either framing."""

    def __init__(self, head: Head) -> None:
        self.is_chunked = head.is_chunked
        self.left = None if self.is_chunked else head.length  # None: until the connection ends
        self.is_complete = self.left == 0 or head.first[1] in (b"204", b"304")
        self.until_close = self.left is None and not self.is_chunked and not self.is_complete
        self._in_chunk = 0  # bytes of the chunk and its line end that are still to come
        self._line = b""
        self._in_trailer = False

    def take(self, data: bytes) -> bytes:
        """The part of the data that belongs to this body."""
        if self.is_complete:
            return b""
        if self.until_close:
            return data
        if self.left is not None:
            mine = data[: self.left]
            self.left -= len(mine)
            self.is_complete = self.left == 0
            return mine
        return self._chunks(data)

    def _chunks(self, data: bytes) -> bytes:
        at = 0
        while at < len(data) and not self.is_complete:
            if self._in_chunk:
                step = min(self._in_chunk, len(data) - at)
                self._in_chunk -= step
                at += step
                continue
            end = data.find(b"\n", at)
            self._line += data[at:] if end < 0 else data[at : end + 1]
            if len(self._line) > LONGEST_HEAD:
                raise BadMessage("a chunk without a size")
            if end < 0:
                return data
            at = end + 1
            self._end_of_line()
        return data[:at]

    def _end_of_line(self) -> None:
        line, self._line = self._line.strip(), b""
        if self._in_trailer:
            self.is_complete = not line
            return
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            raise BadMessage("a chunk without a size") from None
        self._in_trailer = size == 0
        self._in_chunk = size + 2 if size else 0
