"""On which lines an event loop of asyncio waits.

The main task awaits something. If another task has to provide that (a bare future, a queue, a lock), the lines that
matter are those of the task that waits for the next timer: until it goes on, nothing does.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

DEEPEST = 80  # frames
HANDED_OVER = ("asyncio.queues", "asyncio.locks", "asyncio.taskgroups")  # where a task waits for another one
LIBRARY = "asyncio"


def awaited_frames(loop: Any, main_task: Any, is_own: Callable[[FrameType], bool]) -> list[FrameType]:
    """From the outermost. `is_own`: whether a frame is of the program itself."""
    frames = awaiting(main_task)
    if frames and (is_own(frames[-1]) or _is_handed_over(frames[-1])):
        with suppress(Exception):  # the loop goes on meanwhile
            frames = awaiting(_task_of_next_timer(loop)) or frames
    return frames


def awaiting(task: Any) -> list[FrameType]:
    """The frames in which a task of asyncio awaits, and those of the tasks that it waits for; of several, the first."""
    frames: list[FrameType] = []
    for _ in range(DEEPEST):
        inner = getattr(task, "get_coro", lambda: None)()
        while inner is not None and len(frames) < DEEPEST:
            frame = getattr(inner, "cr_frame", None) or getattr(inner, "gi_frame", None)
            if frame is None:
                break
            frames.append(frame)
            inner = getattr(inner, "cr_await", None) or getattr(inner, "gi_yieldfrom", None)
        waited = getattr(task, "_fut_waiter", None)
        several = [one for one in getattr(waited, "_children", ()) if not one.done()]
        task = several[0] if several else waited
        if task is None:
            break
    return frames


def _is_handed_over(frame: FrameType) -> bool:
    """Other libraries wait for sockets and timers; a program's own line awaits what another task sets."""
    module = frame.f_globals.get("__name__", "")
    return module in HANDED_OVER or (module, frame.f_code.co_name) == ("asyncio.tasks", "_wait")


def _task_of_next_timer(loop: Any) -> Any:
    """The task that waits for the timer that is due next; None if no task does."""
    timers = sorted((one for one in list(loop._scheduled) if not one.cancelled()), key=lambda one: one.when())
    tasks = sys.modules[LIBRARY].all_tasks(loop)
    for timer in timers[:1]:
        for waited in (*(timer._args or ()), getattr(timer._callback, "__self__", None)):
            for task in tasks:
                if task is getattr(waited, "_task", None) or (waited is not None and task._fut_waiter is waited):
                    return task
    return None
