"""Sockets of one client behind one epoll, with as much of asyncio's transport as the client uses.

asyncio wakes a callback of its own per readable socket. Here it wakes one for all of them, which reads each in turn:
per event of a stream this is most of what a client costs. Linux only, and without TLS.
"""

import asyncio
import select
import socket
from typing import Any

READ_BYTES = 4096  # asking for more costs more, also if an event is short
AT_A_TIME = 64  # sockets read before the loop may send again


class PlainSocket:
    """A connected socket. Every one ends with exactly one call of the protocol's `connection_lost`."""

    def __init__(self, owner: "PlainSockets", connected: socket.socket, protocol: asyncio.Protocol):
        self.owner = owner
        self.socket: socket.socket | None = connected
        self.descriptor = connected.fileno()
        self.protocol = protocol
        self.unsent: bytes | memoryview = b""

    def is_closing(self) -> bool:
        return self.socket is None

    def write(self, data: bytes | memoryview) -> None:
        if self.socket is None:
            return
        if self.unsent:
            self.unsent = bytes(self.unsent) + bytes(data)
            return
        try:
            sent = self.socket.send(data)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self.close(error)
            return
        if sent < len(data):
            self.unsent = memoryview(data)[sent:]
            self.owner.loop.add_writer(self.descriptor, self._write_more)

    def _write_more(self) -> None:
        data, self.unsent = self.unsent, b""
        self.owner.loop.remove_writer(self.descriptor)
        self.write(data)

    def abort(self) -> None:
        self.close(None)

    def close(self, error: Exception | None) -> None:
        if self.socket is None:
            return
        if self.unsent:
            self.owner.loop.remove_writer(self.descriptor)
        self.owner.remove(self)
        self.socket.close()
        self.socket = None
        self.owner.loop.call_soon(self.protocol.connection_lost, error)


class PlainSockets:
    def __init__(self, host: str, port: int):
        self.host, self.port = host, port
        self.loop = asyncio.get_running_loop()
        self.found: list[Any] = []  # addresses of the host: looked up once
        self.open: dict[int, PlainSocket] = {}
        self.epoll = select.epoll()
        self.loop.add_reader(self.epoll.fileno(), self._read)

    async def connect(self, protocol: asyncio.Protocol) -> None:
        """Raises OSError if none of the host's addresses takes a connection."""
        connected = await self._connected()
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        mine = PlainSocket(self, connected, protocol)
        self.open[mine.descriptor] = mine
        self.epoll.register(mine.descriptor, select.EPOLLIN)
        protocol.connection_made(mine)  # type: ignore[arg-type]

    async def _connected(self) -> socket.socket:
        if not self.found:
            self.found = await self.loop.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        refused: OSError | None = None
        for family, kind, number, _, address in self.found:
            one = socket.socket(family, kind | socket.SOCK_NONBLOCK, number)
            try:
                await self.loop.sock_connect(one, address)
                return one
            except OSError as error:
                one.close()
                refused = error
            except BaseException:
                one.close()
                raise
        raise refused or OSError(f"{self.host} has no address")

    def _read(self) -> None:
        for descriptor, _ in self.epoll.poll(0, AT_A_TIME):
            mine = self.open.get(descriptor)
            if mine is None or mine.socket is None:  # closed while others were read
                continue
            try:
                data = mine.socket.recv(READ_BYTES)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError as error:
                mine.close(error)
                continue
            if data:
                mine.protocol.data_received(data)
            else:
                mine.close(None)

    def remove(self, one: PlainSocket) -> None:
        del self.open[one.descriptor]
        self.epoll.unregister(one.descriptor)

    def close(self) -> None:
        if not self.epoll.closed:
            self.loop.remove_reader(self.epoll.fileno())
            self.epoll.close()
