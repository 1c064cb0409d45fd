"""Sample what the Python threads of a program do, from a thread of its own, while a recording runs.

Only the standard library is imported. The weight of a sample is the time since the one before it, without what the
thread waited for a CPU: the kernel accounts for that, so that a busy machine changes no share. A thread that neither
ran nor waited for a CPU for most of that time waits for something else: a lock, a disk, a clock, another thread.

To look, this thread needs the interpreter's lock. If it had to wait for it, the program was in Python, or in a library
that keeps the lock; a library that computes on large arrays gives it up.

A frame of the program is `function (file.py:12)`; one of an installed library is `package.module:function`.
"""

import json
import os
import sys
import sysconfig
import threading
import time
from contextlib import suppress
from types import FrameType

PERIOD_SECONDS = 0.005
SWITCH_SECONDS = 0.0005  # Python gives up its lock after this time; with 5 ms, shorter pieces of Python are never seen
LONGEST_SECONDS = 1.0  # a longer time between two samples says little about the second one
DEEPEST = 80  # frames
OWN_THREADS = "perfproof"  # how their names begin
THREAD_CPU_CLOCK = 6  # Linux: with a thread's number in the upper bits, the clock of the CPU time of that thread
INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib")
INSTALLERS_MARK = ".dist-info"  # how the folders end that an installer writes beside the packages


class Stacks:
    """Started and stopped with the recording."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], int] = {}
        # thread, time, milliseconds, stack, whether it waits, whether the interpreter's lock was held
        self.samples: list[tuple[int, int, float, int, bool, bool]] = []
        self._seen: dict[int, tuple[float, float, float]] = {}
        self._libraries = library_folders()
        self._ended = threading.Event()
        self._switch = sys.getswitchinterval()
        sys.setswitchinterval(min(self._switch, SWITCH_SECONDS))
        self._thread = threading.Thread(target=self._watch, daemon=True, name=f"{OWN_THREADS}-stacks")
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=LONGEST_SECONDS)
        sys.setswitchinterval(self._switch)

    def write(self, path: str) -> None:
        with open(path, "w") as file:
            json.dump({"stacks": list(self.numbers), "samples": self.samples}, file)

    def _watch(self) -> None:
        account = _own_account()
        while True:
            asked, queued = time.monotonic(), _queued_seconds(account)
            if self._ended.wait(PERIOD_SECONDS):
                break
            late, frames = time.monotonic() - asked - PERIOD_SECONDS, sys._current_frames()
            self.sample(frames, late - (_queued_seconds(account) - queued) > 0.5 * SWITCH_SECONDS)
        if account is not None:
            os.close(account)

    def sample(self, frames: dict[int, FrameType], held: bool) -> None:
        now = time.time_ns()
        for thread in threading.enumerate():
            frame, number = frames.get(thread.ident or 0), thread.native_id or 0
            if frame is None or thread.name.startswith(OWN_THREADS):
                continue
            spent = self._spent(number)
            if spent is not None:
                stack = (f"thread:{thread.name}", *stack_of(frame, self._libraries))
                place = self.numbers.setdefault(stack, len(self.numbers))
                self.samples.append((number, now, 1e3 * spent[0], place, spent[1], held))
            self._seen[number] = (time.monotonic(), *_account(number))  # what this look took is nobody's time

    def _spent(self, number: int) -> tuple[float, bool] | None:
        """Seconds since the last look without those in the queue for a CPU, and whether most of them were waits."""
        before = self._seen.get(number)
        if before is None:
            return None
        now, (running, queued) = time.monotonic(), _account(number)
        ran = min(LONGEST_SECONDS, running - before[1])
        own = min(LONGEST_SECONDS, max(ran, now - before[0] - (queued - before[2])))
        if ran >= 0.5 * own:
            return own, False
        return (ran, False) if _can_run(number) else (own, True)  # a stay in the queue is accounted when it has ended


def _own_account() -> int | None:
    """Kept open: opening it would wait for the interpreter's lock once more."""
    try:
        return os.open(f"/proc/self/task/{threading.get_native_id()}/schedstat", os.O_RDONLY)
    except OSError:
        return None


def _queued_seconds(account: int | None) -> float:
    return int(os.pread(account, 100, 0).split()[1]) / 1e9 if account is not None else 0.0


def _account(number: int) -> tuple[float, float]:
    """Seconds that a thread ran, and that it waited for a CPU; without an account it is taken to run."""
    try:
        running = time.clock_gettime((~number << 3) | THREAD_CPU_CLOCK)
        with open(f"/proc/self/task/{number}/schedstat") as file:
            queued = int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic(), 0.0
    return running, queued


def _can_run(number: int) -> bool:
    """Running, or queued for a CPU right now."""
    try:
        with open(f"/proc/self/task/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return True


def library_folders() -> tuple[str, ...]:
    """Python's own folders, and every folder of the path into which packages were installed (pip --user, --target)."""
    folders = [sysconfig.get_paths()[name] for name in INSTALLED]
    for folder in sys.path[1:]:  # the first is the folder of the program
        with suppress(OSError):
            if any(name.endswith(INSTALLERS_MARK) for name in os.listdir(folder)):
                folders.append(folder)
    return (*(os.path.join(folder, "") for folder in folders), "<frozen")


def stack_of(frame: FrameType | None, libraries: tuple[str, ...]) -> list[str]:
    """Names from the outermost frame of the program to the innermost; how Python was started is left out."""
    names: list[str] = []
    while frame is not None and len(names) < DEEPEST:
        name = _name(frame, libraries)
        if name:
            names.append(name.replace(";", ","))
        frame = frame.f_back
    return names[::-1]


def _name(frame: FrameType, libraries: tuple[str, ...]) -> str:
    file, function, module = frame.f_code.co_filename, frame.f_code.co_name, frame.f_globals.get("__name__", "")
    if os.path.dirname(file) == os.path.dirname(os.path.abspath(__file__)) or module == "runpy":
        return ""
    if file.startswith(libraries):
        return f"{module}:{function}"
    return f"{function} ({os.path.basename(file)}:{frame.f_lineno})"
