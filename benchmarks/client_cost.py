"""CPU time that the load client spends per request and per event, without the time of the server.

Client and server share one thread and take turns, so that every event comes as a packet of its own, as it does on an
idle machine. The CPU time of the server's turns is not counted. The least of the batches is the figure to
compare: what else runs on the machine can only add to it.

    python -m benchmarks.client_cost
"""

import asyncio
import socket
import time
from statistics import median

from perfproof.load.clock import RealClock
from perfproof.load.driver import Driver
from perfproof.load.http_client import HttpClient, parse_address
from perfproof.load.known_server import HEAD, ONE_TOKEN, _chunk
from perfproof.load.profile import fixed
from perfproof.load.record import Record
from perfproof.load.workload import Service, Workload

AT_ONCE = 128  # 2,000 requests per second with 32 events, 2 ms apart
BATCHES = 60
USAGE = '{"choices":[],"usage":{"prompt_tokens":32,"completion_tokens":%d,"total_tokens":64}}'
COUNTED = ONE_TOKEN.partition(b"data: ")[2][:-5].decode() + "%s"  # the same event with usage, as vLLM sends it
FINISH = ONE_TOKEN.replace(b'"finish_reason":null', b'"finish_reason":"stop"').partition(b"data: ")[2][:-4]


class ServerTurns:
    """The server's side: plain sockets, driven by hand."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=4 * AT_ONCE)
        self.listening.setblocking(False)
        self.sockets: list[socket.socket] = []
        self.seconds = 0.0

    async def answer(self, events: int, counted: bool) -> None:
        """Let the client send its requests, then write an event to each connection per turn."""
        for _ in range(4):
            await asyncio.sleep(0)
        while self._read_requests() < AT_ONCE:
            await asyncio.sleep(0)
        last = _chunk(FINISH.decode()) + _chunk(USAGE % events) + _chunk("[DONE]") + b"0\r\n\r\n"
        tokens = [_chunk(COUNTED % (USAGE % at)[13:]) if counted else ONE_TOKEN for at in range(1, events)]
        for packet in (HEAD, *tokens, last):
            before = time.thread_time()
            for one in self.sockets:
                one.send(packet)
            self.seconds += time.thread_time() - before
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        self.asked = 0

    asked = 0

    def _read_requests(self) -> int:
        before = time.thread_time()
        while len(self.sockets) < AT_ONCE:
            try:
                one, _ = self.listening.accept()
            except BlockingIOError:
                break
            one.setblocking(False)
            self.sockets.append(one)
        for one in self.sockets:
            try:
                self.asked += bool(one.recv(65536))
            except BlockingIOError:
                continue
        self.seconds += time.thread_time() - before
        return self.asked


async def seconds_per_request(events: int, counted: bool = False) -> list[float]:
    """Per batch, without the first one, which opens the connections."""
    server = ServerTurns()
    address = parse_address(f"127.0.0.1:{server.listening.getsockname()[1]}")
    client, records = HttpClient(address), list[Record]()
    work = Workload(Service(address, "known"), fixed(32, events), "cost", 1)
    used = []
    for _ in range(BATCHES + 1):
        driver = Driver(client.send, records.append, RealClock())
        client.start = driver.start = time.monotonic()
        before, others = time.thread_time(), server.seconds
        await asyncio.gather(driver.open_loop(work.arriving([0.0] * AT_ONCE)), server.answer(events, counted))
        used.append((time.thread_time() - before - (server.seconds - others)) / AT_ONCE)
    assert all(one.outcome == "ok" and one.made == events for one in records), records[0]
    client.close()
    for one in server.sockets:
        one.close()
    server.listening.close()
    return used[1:]


def main() -> None:
    for name, counted in (("", False), (" with usage", True)):
        few, many = (asyncio.run(seconds_per_request(events, counted)) for events in (2, 32))
        for events, found in ((2, few), (32, many)):
            least, middle = (f"{seconds * 1e6:.0f}" for seconds in (min(found), median(found)))
            print(f"a request with {events} events{name}: {least} us of CPU at least, median {middle}")
        print(f"an event{name}: {(min(many) - min(few)) / 30 * 1e6:.1f} us of CPU")


if __name__ == "__main__":
    main()
