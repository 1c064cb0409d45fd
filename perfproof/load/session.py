"""One load test from start to end: read the server's counters, send, keep records, read the counters again."""

import asyncio
import gc
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from perfproof.load import counters
from perfproof.load.arrivals import Arrivals, draw_times
from perfproof.load.clock import RealClock
from perfproof.load.driver import Driver, Keep, Limits
from perfproof.load.http_client import HttpClient
from perfproof.load.profile import Profile
from perfproof.load.record import Record
from perfproof.load.traces import Arrival
from perfproof.load.workload import Service, Workload

LEAD = 0.05  # s between the plan and the first arrival


@dataclass(frozen=True)
class Plan:
    service: Service
    profile: Profile
    seconds: float
    seed: int
    salt: str
    arrivals: Arrivals | None = None  # open loop
    users: int | None = None  # closed loop
    think: float = 0.0
    trace: Sequence[Arrival] = ()
    limits: Limits = field(default_factory=Limits)
    notes: tuple[str, ...] = ()  # about what is sent


@dataclass
class Measured:
    records: list[Record] = field(default_factory=list)
    cpu_seconds: float = 0.0  # of the client, without its waiting
    waited_seconds: float = 0.0  # of CPU, in turns of the loop that only waited
    cpu_share: float = 0.0
    cache: counters.Counters | None = None
    interrupted: bool = False
    aborted: str = ""


Watch = Callable[[Record, int], str]  # a record and how many are in flight: a reason to stop, or nothing


def run_plan(plan: Plan, keep: Keep, watch: Watch | None = None) -> Measured:
    """Run a plan against its server. Ctrl-C ends it early and keeps what was measured."""
    return asyncio.run(measure(plan, keep, watch))


async def measure(plan: Plan, keep: Keep, watch: Watch | None = None) -> Measured:
    client, found = HttpClient(plan.service.address), Measured()
    before = await counters.ask_counters(client)

    def keep_record(record: Record) -> None:
        found.records.append(record)
        keep(record)
        if watch is not None and not found.aborted:
            found.aborted = watch(record, driver.in_flight)
            if found.aborted:
                driver.stopping.set()

    clock = RealClock()
    driver = Driver(client.send, keep_record, clock, plan.limits)
    with _interruptible(driver, found), _settled_objects():
        client.start = driver.start = time.monotonic() + LEAD
        cpu, began = time.thread_time(), time.monotonic()
        await _drive(plan, driver)
        found.waited_seconds = clock.waited
        found.cpu_seconds = time.thread_time() - cpu - clock.waited
        found.cpu_share = found.cpu_seconds / (time.monotonic() - began)
    found.cache = counters.between(before, await counters.ask_counters(client))
    client.close()
    return found


async def _drive(plan: Plan, driver: Driver) -> None:
    work = Workload(plan.service, plan.profile, plan.salt, plan.seed)
    if plan.users is not None:
        await driver.closed_loop(work.endless(), plan.users, plan.seconds, plan.think)
    elif plan.trace:
        await driver.open_loop(work.replaying(plan.trace))
    else:
        assert plan.arrivals is not None
        await driver.open_loop(work.arriving(draw_times(plan.arrivals, plan.seconds, plan.seed).tolist()))


@contextmanager
def _interruptible(driver: Driver, found: Measured) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM, as `timeout` and CI systems send it, stops sending; the handlers go afterwards."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        found.interrupted = True
        driver.stopping.set()

    ending = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in ending:
            loop.add_signal_handler(number, stop)
    except (NotImplementedError, ValueError, RuntimeError):  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        for number in ending:
            loop.remove_signal_handler(number)


@contextmanager
def _settled_objects() -> Iterator[None]:
    """The garbage collector passes over what has survived it once: to look at all records again and again takes
    milliseconds, in which nothing is sent. What becomes garbage later is found after the test."""

    def settle(phase: str, found: dict[str, int]) -> None:
        if phase == "stop":
            gc.freeze()

    gc.freeze()
    gc.callbacks.append(settle)
    try:
        yield
    finally:
        gc.callbacks.remove(settle)
        gc.unfreeze()
