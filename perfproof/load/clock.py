"""The clock of a load test, and how it waits for a moment.

The selector behind asyncio waits in whole milliseconds, rounded up: a plain sleep sends half a millisecond late on
average. The real clock sleeps until a millisecond before, and lets the loop turn for the rest.
"""

import asyncio
import time

EARLY = 0.0011  # s: a selector's millisecond, and a little for the loop
EMPTY_TURN = 50e-6  # s of CPU: a turn of the loop that took less did nothing but wait


class RealClock:
    now = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self.waited = 0.0  # s of CPU spent on waiting: it is no sign of a busy client

    async def until(self, moment: float) -> None:
        left = moment - time.monotonic()
        if left > EARLY:
            await asyncio.sleep(left - EARLY)
        while time.monotonic() < moment:
            before = time.thread_time()
            await asyncio.sleep(0)
            used = time.thread_time() - before
            if used < EMPTY_TURN:
                self.waited += used


class LoopClock:
    """The time of the running loop, whatever that is: for loops whose time is simulated."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def until(self, moment: float) -> None:
        left = moment - self.now()
        if left > 0:
            await asyncio.sleep(left)


Clock = RealClock | LoopClock
