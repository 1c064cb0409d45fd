"""On which lines an event loop of asyncio waits.

The main task awaits something. If another task has to provide that (a bare future, a queue, a lock), the lines that
matter are those of the task that waits for the next timer: until it goes on, nothing does.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

DEEPEST = 80  # frames
QUEUES = "[tasks wait for a lock] "
FEWEST_TASKS, MOST_TASKS = 2, 300  # that wait for one lock; that are looked at
HANDED_OVER = ("asyncio.queues", "asyncio.locks", "asyncio.taskgroups")  # where a task waits for another one
LIBRARY = "asyncio"


def awaited_frames(loop: Any, main_task: Any, is_own: Callable[[FrameType], bool]) -> list[FrameType]:
    """From the outermost. `is_own`: whether a frame is of the program itself."""
    frames = awaiting(main_task)
    if frames and (is_own(frames[-1]) or _is_handed_over(frames[-1])):
        with suppress(Exception):  # the loop goes on meanwhile
            frames = awaiting(_task_of_next_timer(loop)) or frames
    return frames


def queue_for_lock(loop: Any, is_own: Callable[[FrameType], bool]) -> str:
    """The program's line on which most tasks wait for one lock, if several do: `function (file.py:7)`.

    A semaphore that lets several in is meant to hold others back.
    """
    lines: dict[int, list[FrameType]] = {}
    for task in list(sys.modules[LIBRARY].all_tasks(loop))[:MOST_TASKS]:
        frames = awaiting(task)
        inner = next((one for one in reversed(frames) if one.f_code.co_name == "acquire"), None)
        holder = inner.f_locals.get("self") if inner is not None and _is_handed_over(inner) else None
        own = [one for one in frames if is_own(one)]
        if type(holder).__name__ == "Lock" and own:
            lines.setdefault(id(holder), []).append(own[-1])
    waiting = max(lines.values(), key=len, default=[])
    if len(waiting) < FEWEST_TASKS:
        return ""
    code = waiting[0].f_code
    return f"{code.co_name} ({os.path.basename(code.co_filename)}:{waiting[0].f_lineno})"


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
