"""Send planned requests at their times (open loop) or one after the other per user (closed loop), and account for all.

The transport and the clock are handed in, so the same code runs against a server and in simulated time. Every request
that was begun ends as exactly one record, whatever happens to it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from perfproof.load.clock import Clock
from perfproof.load.record import Record

Send = Callable[[bytes, Record, bool], Awaitable[str]]
Keep = Callable[[Record], None]


@dataclass(slots=True)
class Planned:
    """A request to send. `at` is its intended arrival in seconds after the start; a closed loop does not use it."""

    index: int
    at: float
    request: bytes
    asked_prompt: int = 0
    asked_output: int = 0
    shared: int = 0
    begins_with: int = 0
    group: int = 0
    conversation: int = 0
    turn: int = 0
    think: float = 0.0  # seconds that the user waits before this request, after the answer before it
    cancel_after: float | None = None  # seconds after which the user gives up
    follow: "Callable[[str], Planned | None] | None" = None  # the next turn, made from the answer


@dataclass(frozen=True)
class Limits:
    timeout: float = 300.0  # seconds, for each request from when it is sent
    drain: float = 30.0  # seconds after the last arrival in which answers are awaited
    cap: int | None = None  # requests in flight
    shed: bool = False  # what comes above the cap is dropped, not queued


@dataclass
class Driver:
    send: Send
    keep: Keep
    clock: Clock
    limits: Limits = Limits()
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # set it to end early
    start: float = 0.0
    in_flight: int = 0
    begun: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    room: asyncio.Semaphore | None = None

    async def open_loop(self, plans: Iterator[Planned]) -> None:
        """Each request is sent at its time, whatever became of the others."""
        self.room = asyncio.Semaphore(self.limits.cap) if self.limits.cap else None
        for plan in plans:
            moment = self.start + plan.at
            if moment > self.clock.now() and await self._stopped_before(moment):
                break
            if self.stopping.is_set():
                break
            self._begin(plan, plan.at)
        await self._drain()

    async def closed_loop(self, plans: Iterator[Planned], users: int, seconds: float, think: float = 0.0) -> None:
        """Each user sends, waits for the answer, thinks for so many seconds, and sends the next."""
        loops = [asyncio.create_task(self._user(plans, self.start + seconds, think)) for _ in range(users)]
        self.tasks.update(loops)
        stop = asyncio.create_task(self.stopping.wait())
        everyone: asyncio.Future[Any] = asyncio.gather(*loops, return_exceptions=True)
        await asyncio.wait([everyone, stop], return_when="FIRST_COMPLETED")
        stop.cancel()
        await self._drain()
        self._raise_bugs(loops)

    async def _user(self, plans: Iterator[Planned], until: float, think: float) -> None:
        for plan in plans:
            following: Planned | None = plan
            while following is not None:
                if self.clock.now() >= until or self.stopping.is_set():
                    return
                self.begun += 1
                following = await self._one(following, self.clock.now() - self.start)
                await self.clock.until(self.clock.now() + (following.think if following else think))

    async def _stopped_before(self, moment: float) -> bool:
        """Wait for a moment; True if the test was stopped meanwhile."""
        left = moment - self.clock.now()
        if left > 0.25:  # long waits can be interrupted; short ones cost less without
            try:
                await asyncio.wait_for(self.stopping.wait(), left - 0.2)
                return True
            except TimeoutError:
                pass
        await self.clock.until(moment)
        return False

    def _begin(self, plan: Planned, intended: float) -> None:
        self.begun += 1
        task = asyncio.create_task(self._conversation(plan, intended))
        self.tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.bug = task.exception()
            self.stopping.set()

    bug: BaseException | None = None

    async def _conversation(self, plan: Planned, intended: float) -> None:
        """A request and the turns that follow it; each is intended when the user has read the answer before."""
        following: Planned | None = plan
        while following is not None and not (self.stopping.is_set() and following is not plan):
            if following is not plan:
                intended = self.clock.now() - self.start + following.think
                await self.clock.until(self.start + intended)
            following = await self._one(following, intended)

    async def _one(self, plan: Planned, intended: float) -> Planned | None:
        """Send one request and keep its record; the next turn, if it was answered."""
        record = Record(
            plan.index,
            intended,
            intended,
            asked_prompt=plan.asked_prompt,
            asked_output=plan.asked_output,
            shared=plan.shared,
            begins_with=plan.begins_with,
            group=plan.group,
            conversation=plan.conversation,
            turn=plan.turn,
        )
        text, held = "", False
        try:
            if self.room is not None:
                if self.limits.shed and self.room.locked():
                    record.outcome = "shed"
                    return None
                await self.room.acquire()
                held = True
                record.released = self.clock.now() - self.start
            self.in_flight += 1
            try:
                text = await self._within_limits(plan, record)
            finally:
                self.in_flight -= 1
        except asyncio.CancelledError:
            record.outcome = "unfinished"
            record.end = self.clock.now() - self.start
            raise
        finally:
            if held and self.room is not None:
                self.room.release()
            self.keep(record)
        return plan.follow(text) if plan.follow is not None and record.outcome == "ok" else None

    async def _within_limits(self, plan: Planned, record: Record) -> str:
        limit = self.limits.timeout if plan.cancel_after is None else min(plan.cancel_after, self.limits.timeout)
        try:
            async with asyncio.timeout(limit):
                return await self.send(plan.request, record, plan.follow is not None)
        except TimeoutError:
            gave_up = plan.cancel_after is not None and plan.cancel_after <= self.limits.timeout
            record.outcome = "cancelled" if gave_up else "timeout"
            record.error = "" if gave_up else f"no end after {limit:g} s"
            record.end = self.clock.now() - self.start
            return ""

    async def _drain(self) -> None:
        """Wait for answers that are still to come; what is not there in time is unfinished."""
        if self.tasks and not self.stopping.is_set():
            stop = asyncio.create_task(self.stopping.wait())
            everything: asyncio.Future[Any] = asyncio.gather(*self.tasks, return_exceptions=True)
            await asyncio.wait([everything, stop], timeout=self.limits.drain, return_when="FIRST_COMPLETED")
            stop.cancel()
        left = list(self.tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self.bug is not None:
            raise self.bug

    def _raise_bugs(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            if task.done() and not task.cancelled() and task.exception() is not None:
                raise task.exception()  # type: ignore[misc]
