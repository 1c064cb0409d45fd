"""Sample what the Python threads of a program do, from a thread of its own, while a recording runs.

Only the standard library is imported. The weight of a sample is the time since the one before it, without what the
thread waited for a CPU: the kernel accounts for that, so that a busy machine changes no share. A thread that neither
ran nor waited for a CPU for most of that time waits for something else: a lock, a disk, a clock, another thread. If it
waits for threads of a library that compute, it does not count as waiting.

To look, this thread needs the interpreter's lock. If it had to wait for it, the program was in Python, or in a library
that keeps the lock; a library that computes on large arrays gives it up. Python offers the lock after a while.
If it was kept for longer, a function in C kept it; a line that names arrays of numbers then computes on these.

A frame of the program is `function (file.py:12)`; one of an installed library is `package.module:function`.

An event loop of asyncio that waits has the lines on which it waits beneath it (see awaited.py). If one callback waits,
or has run for long, and others are due, the stack begins with LATE.
"""

import dis
import gc
import importlib.util
import json
import os
import re
import sys
import sysconfig
import threading
import time
from contextlib import suppress
from functools import lru_cache
from types import CodeType, FrameType, ModuleType
from typing import Any

PERIOD_SECONDS = 0.005
LONGEST_PERIOD = 0.02
MOST_OF_A_CPU = 0.06  # that looking takes; where looks take long, there are fewer
SWITCH_SECONDS = 0.0005  # Python gives up its lock after this time; with 5 ms, shorter pieces of Python are never seen
ASKS_MOSTLY = 0.25  # of the switch intervals, in which a thread asks that waits for the lock most of the time
PAUSE_SECONDS = 0.0003  # before a look: longer than a thread needs to take the lock that it waits for
UNDISTURBED_SECONDS = 0.002  # during a look: who waits for the lock asks for it after that
LONG_SECONDS = UNDISTURBED_SECONDS + 0.0015  # if the lock was kept for longer, a function in C kept it
LOOK_SECONDS = 0.001  # at all threads; those that come later have their turn at the next look
LONGEST_SECONDS = 1.0  # a longer time between two samples says little about the second one
DEEPEST = 80  # frames
OWN_THREADS = "perfproof"  # how their names begin
THREAD_CPU_CLOCK = 6  # Linux: with a thread's number in the upper bits, the clock of the CPU time of that thread
LATE = "[others wait for the event loop]"
ASKS = "[waits for the interpreter's lock]"
SAME = "[called before with these arguments] "
COLLECTING = "gc:collecting"
LONG_CALLBACK_SECONDS = 0.02
COUNTED_SECONDS = 0.1  # between two counts of the threads that can run
Looked = tuple[int, float, tuple[str, ...], bool, bool, bool]  # thread, seconds, stack; waits, plain values, arrays
USES_VARIABLES = frozenset({"exec", "eval", "locals", "vars"})
MANAGERS = "SyncManager-"  # how their names begin
OPTIMIZED = 0x01  # the flag of code whose variables are in no dictionary: functions
CONTAINERS = (list, tuple, set, frozenset, dict)
SCALARS = (int, float, complex, str, bytes, type(None))
PLAIN_MODULES = ("builtins", "__main__", "numpy", "torch")  # the last two compute
# Functions in which a thread that sleeps only waits, whatever the threads of a library do meanwhile.
WAITING = (
    *("threading:", "queue:", "selectors:", "concurrent.futures."),
    *("socket:", "ssl:", "subprocess:", "multiprocessing.connection:"),
)
# Calls in C in which a thread that sleeps waits for a clock, a lock or a peer; `with` is one while it enters.
ASLEEP = re.compile(r"sleep\(|^(async )?with |\.(acquire|recv\w*|accept|wait|join|get|flock|connect)\(")
ONE_CALL, DATABASES = "[one call] ", ("sqlite3:", "duckdb", "psycopg")  # a statement may be long by itself
ALWAYS_NAMED = ("re:",)  # one call that backtracks may take all of the time
HERE = os.path.dirname(os.path.abspath(__file__))
QUOTA = "/sys/fs/cgroup/cpu.max"
INSTALLED = ("stdlib", "platstdlib", "purelib", "platlib")
INSTALLERS_MARK = ".dist-info"  # how the folders end that an installer writes beside the packages


class Stacks:
    """Started and stopped with the recording."""

    def __init__(self, values: bool = True) -> None:
        """`values`: look at variables too. A function keeps those that were looked at last until it ends."""
        self._values = values
        self.numbers: dict[tuple[str, ...], int] = {}
        # thread, time, milliseconds, stack, whether it waits, whether the interpreter's lock was held
        self.samples: list[tuple[int, int, float, int, bool, bool]] = []
        self._seen: dict[int, tuple[float, float, float]] = {}
        self._asks: dict[int, bool] = {}  # whether a thread that hardly ran asked for the lock again and again
        self._given_up: dict[int, tuple[float, int]] = {}  # per thread: when it was asked for, and how often
        self._callbacks: dict[int, tuple[Any, float]] = {}  # what a thread's event loop calls, and since when
        self._can_run: list[tuple[int, ...]] = []  # per count: threads; processes; those, theirs and managers that can
        self._libraries = library_folders()
        self._same_calls, self._operands = _beside("same_calls").SameCalls(self._is_own_file), _beside("operands")
        self._running_text = _beside("running_text")
        self._growth, self._collecting = self._running_text.Growth(), Collecting()
        self._longer_tokens, self._awaited = _beside("longer_tokens").LongerTokens(), _beside("awaited")
        self._cache_misses, self._spinning = _beside("cache_misses").CacheMisses(), _beside("spinning")
        self._same_matrix, self._short_steps = _beside("same_matrix").SameMatrix(), _beside("short_steps").ShortSteps()
        self._line_calls, self._fft_lengths = _beside("line_calls"), _beside("fft_lengths")
        self._misused = _beside("misused")
        self._handlers, self._thread_locks = self._misused.Handlers(), _beside("thread_locks")
        self._statements: set[int] = set()  # threads whose statement no index can serve, as it seems
        self._asked_at: dict[int, tuple[int, ...]] = {}  # and where they were when this thread asked for the look
        self._ended = threading.Event()
        self._switch = sys.getswitchinterval()
        sys.setswitchinterval(min(self._switch, SWITCH_SECONDS))
        self._thread = threading.Thread(target=self._watch, daemon=True, name=f"{OWN_THREADS}-stacks")
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=LONGEST_SECONDS)
        self._collecting.stop()
        sys.setswitchinterval(self._switch)

    def drop_before(self, moment: int) -> None:
        """Forget the samples before a moment (ns since 1970)."""
        self.samples = [sample for sample in self.samples if sample[1] >= moment]

    def write(self, path: str) -> None:
        with open(path, "w") as file:
            json.dump({"stacks": list(self.numbers), "samples": self.samples}, file)

    def threads(self) -> dict[str, float]:
        """How many CPUs the program may use, and how many of its threads could run, on average.

        Also how many processes that it started there were, how many of them could run, and how many of their threads;
        and how many of them that could run were managers, as multiprocessing.Manager() starts them.
        """
        found = {"cpus": usable_cpus(), "worker_processes": float(bool(_children(os.getpid())))}
        names = ("can_run", "processes", "processes_can_run", "their_threads_can_run", "managers_can_run")
        looks = len(self._can_run)
        means = [sum(counts) / looks for counts in zip(*self._can_run, strict=True)] if looks else []
        return found | dict(zip(names, means, strict=False))

    def _watch(self) -> None:
        account = _own_account()
        counted, period, started = 0.0, PERIOD_SECONDS, time.process_time()
        while True:
            asked = time.monotonic()
            if self._ended.wait(period):
                break
            began = time.thread_time()
            if asked - counted >= COUNTED_SECONDS:
                counted = asked
                self._can_run.append((sum(map(_can_run, _all_threads())), *_children_that_can_run()))
            self.look(account)
            took = time.thread_time()
            crowded = took > MOST_OF_A_CPU * (time.process_time() - started)  # the program gets less than a CPU
            period = max(PERIOD_SECONDS, min(LONGEST_PERIOD, (1 + crowded) * (took - began) / MOST_OF_A_CPU))
        if account is not None:
            os.close(account)

    def look(self, account: int | None = None) -> None:
        """Take a sample of each thread."""
        every = [thread for thread in threading.enumerate() if not thread.name.startswith(OWN_THREADS)]
        every.sort(key=lambda thread: self._seen.get(thread.native_id or 0, (0.0,))[0])  # longest ago first
        threads = [(thread, spent) for thread in every if (spent := self._spent(thread.native_id or 0)) is not None]
        computes = any(spent[1] for _, spent in threads) and _library_computes(
            {one.native_id for one in threading.enumerate()}
        )
        before, queued, asked = sys.getswitchinterval(), _queued_seconds(account), time.monotonic()
        sys.setswitchinterval(UNDISTURBED_SECONDS)
        try:
            self._asked_at = self._places() if self._statements else {}
            time.sleep(PAUSE_SECONDS)  # the program takes the lock, if it needs it
            late = time.monotonic() - asked - PAUSE_SECONDS
            found = self._looked(threads, computes, late > LONG_SECONDS)
        finally:
            sys.setswitchinterval(before)
        self._running_text.read_files()
        self._keep(found, late - (_queued_seconds(account) - queued))
        looked_at = {number for number, *_ in found}
        for number in [thread.native_id or 0 for thread in every]:
            if number in looked_at or number not in self._seen:
                self._seen[number] = (time.monotonic(), *_account(number))  # the time of this look is not the program's
                self._given_up[number] = self._seen[number][0], _times_given_up(number) if len(every) > 1 else 0

    def _looked(
        self, threads: list[tuple[threading.Thread, tuple[float, bool]]], computes: bool, long: bool
    ) -> list[Looked]:
        """What threads do now. While this thread holds their frames no other one may run, so nothing here may wait.

        A function that returns meanwhile would leave its variables to this thread, which would end them: a guard of
        torch that is kept in a variable would then never be taken back on its own thread.
        """
        frames, found, end = _frames_now(), [], time.monotonic() + LOOK_SECONDS
        at: list[Any] = []
        for thread, (seconds, waits) in threads:
            frame, number = frames.get(thread.ident or 0), thread.native_id or 0
            if frame is None or time.monotonic() > end:
                continue
            names = self._with_text(_frames(frame)[::-1])
            by_itself = self._waits_by_itself(names)
            asks = waits and not by_itself and self._asks.get(number, False)
            waits = waits and (by_itself or asks or not computes)
            stack = self._with_event_loop((f"thread:{thread.name}", *names), number, frame, waits)
            stack = self._with_calls(stack, number, frame) if self._values and not waits else stack
            stack = (stack[0], ASKS, *stack[1:]) if asks else stack
            if self._collecting.take(thread.ident) > 0.5 * seconds:
                stack = (*stack, COLLECTING)
            plain = self._values and self._is_own(frame) and names_only_plain(frame)
            found.append((number, seconds, stack, waits, plain, long and names_arrays(frame)))
            at.append((frame, waits))
        return self._with_locks(found, at) if sum(waits for _, waits in at) > 1 and self._values else found

    def _with_locks(self, found: list[Looked], at: list[tuple[FrameType, bool]]) -> list[Looked]:
        """With marks on threads that wait for a lock whose holder waits itself."""
        marks: dict[int, str] = {}
        with suppress(Exception):  # what a program's own classes do if they are looked at is not known
            every = [_frames(frame)[::-1] for frame, _ in at]
            own = [[one for one in frames if self._is_own(one) and not uses_variables(one.f_code)] for frames in every]
            looked = [self._thread_locks.Looked(*one, waits) for *one, (_, waits) in zip(every, own, at, strict=True)]
            value_of, tree_of = self._line_calls.value_of, self._running_text.tree_of
            marks = self._thread_locks.mark(looked, line_of, value_of, tree_of)
        for place, locked in marks.items():
            number, seconds, stack, *rest = found[place]
            found[place] = (number, seconds, (stack[0], locked, *stack[1:]), *rest)  # type: ignore[assignment]
        return found

    def _keep(self, found: list[Looked], held_seconds: float) -> None:
        """`held_seconds`: how long the interpreter's lock was kept from this thread."""
        now, in_c = time.time_ns(), held_seconds > LONG_SECONDS
        for number, seconds, stack, waits, plain, arrays in found:
            place = self.numbers.setdefault(stack, len(self.numbers))
            held = plain or (held_seconds > 0.5 * SWITCH_SECONDS and not (in_c and arrays))
            self.samples.append((number, now, 1e3 * seconds, place, waits, held))

    def _waits_by_itself(self, names: list[str]) -> bool:
        """Whether it waits for a clock, a lock or a peer, whatever the threads of a library do."""
        if not names or names[-1].startswith(WAITING):
            return bool(names)
        runs = self._running_text.RUNS
        return names[-1].startswith(runs) and ASLEEP.search(names[-1].removeprefix(runs)) is not None

    def _is_own_file(self, file: str) -> bool:
        return bool(file) and not file.startswith(self._libraries) and os.path.dirname(file) != HERE

    def _is_own(self, frame: FrameType) -> bool:
        return _name(frame, self._libraries).endswith(")")

    def _with_text(self, frames: list[FrameType]) -> list[str]:
        """Names from the outermost frame on, with what runs of the program's innermost line beneath that line."""
        named = [(each, name.replace(";", ",")) for each in frames if (name := _name(each, self._libraries))]
        names = [name for _, name in named]
        own = next((place for place in reversed(range(len(names))) if names[place].endswith(")")), None)
        text = "" if own is None else self._running_text.running_text(named[own][0], line_of(named[own][0]))
        if own is not None and text:
            names.insert(own + 1, f"{self._running_text.RUNS}{text}")
        return names

    def _with_event_loop(self, stack: tuple[str, ...], number: int, frame: FrameType, waits: bool) -> tuple[str, ...]:
        loop, main_task, callback = event_loop(frame)
        before = self._callbacks.get(number)
        if before is None or before[0] is not callback:
            before = self._callbacks[number] = (callback, time.monotonic())
        if callback is None:
            names = self._with_text(self._awaited.awaited_frames(loop, main_task, self._is_own)) if waits else []
            if waits and loop is not None:
                with suppress(Exception):  # the loop goes on meanwhile
                    line = self._awaited.queue_for_lock(loop, self._is_own)
                    stack = (stack[0], f"{self._awaited.QUEUES}{line}", *stack[1:]) if line else stack
            has_text = any(name.startswith(self._running_text.RUNS) for name in names)
            return (*(one for one in stack if not (has_text and one.startswith(self._running_text.RUNS))), *names)
        long = waits or time.monotonic() - before[1] > LONG_CALLBACK_SECONDS
        return (stack[0], LATE, *stack[1:]) if long and others_are_due(loop) else stack

    def _with_calls(self, stack: tuple[str, ...], number: int, frame: FrameType) -> tuple[str, ...]:
        """With marks if a call is made again or has unusual operands.

        In a loop that goes on, what its line calls in C is at the end; one query of a database may be long by itself.
        """
        named = [(each, name.endswith(")")) for each in _frames(frame) if (name := _name(each, self._libraries))][::-1]
        if any(uses_variables(each.f_code) for each, _ in named):
            return stack  # looking at its variables would change them
        with suppress(Exception):  # what a program's own classes do if they are looked at is not known
            called, goes_on = called_in_c(frame) if named[-1][1] else [], self._same_calls.moved_on(number, named)
            one_call = [f"{ONE_CALL}{name}" for name in called if name.startswith(DATABASES) and not goes_on]
            stack = (*stack, *(name for name in called if goes_on or name.startswith(ALWAYS_NAMED)), *one_call)
            again = self._same_calls.repeated(named)
            about = [f"{SAME}{again.f_code.co_name}"] if again is not None else []
            about += self._short_steps.mark([each for each, _ in named])
            about += self._same_matrix.mark(named, self._same_calls.moment(number))
            inner = next((each for each, own in reversed(named) if own), None)
            about += self._handlers.mark([each for each, _ in named])
            if inner is not None:
                about += self._with_misuse(number, inner, [each for each, _ in named])
                about += self._operands.marks(inner, _named_values(inner))
                about += self._growth.mark(inner, line_of(inner), innermost=named[-1][1])
            own_frames = [each for each, own in named if own]
            about += self._longer_tokens.mark(own_frames)
            about += self._cache_misses.mark(own_frames)
            if inner is named[-1][0]:
                about += self._spinning.mark(inner, line_of(inner), self._running_text.tree_of(inner.f_code))
            if self._operands.has_padding(own_frames):
                about.append(self._operands.PADDED)
            return stack[0], *about, *stack[1:]
        return stack

    def _with_misuse(self, number: int, inner: FrameType, frames: list[FrameType]) -> list[str]:
        """What the calls of the program's innermost line, and the libraries beneath it, do more than is needed."""
        beneath, tree = frames[frames.index(inner) + 1 :], self._running_text.tree_of(inner.f_code)
        calls = self._line_calls.calls_of(inner, line_of(inner), tree)
        found: list[str] = self._misused.marks(beneath, calls, lambda: self._line_calls.calls_in_function(inner, tree))
        if self._misused.NO_INDEX in found:
            self._statements.add(number)
            found += [self._misused.LASTS] if self._asked_at.get(number) == self._place(frames) else []
        found += self._fft_lengths.mark(beneath, calls)
        return found

    def _places(self) -> dict[int, tuple[int, ...]]:
        """Where the threads are that run such statements, and what their functions have; no frame is kept."""
        numbers = {thread.ident: thread.native_id or 0 for thread in threading.enumerate()}
        found: dict[int, tuple[int, ...]] = {}
        with suppress(Exception):  # what a program's own classes do if they are looked at is not known
            for ident, frame in _frames_now().items():
                if numbers.get(ident) not in self._statements:
                    continue
                frames = [one for one in _frames(frame)[::-1] if _name(one, self._libraries)]
                if not any(uses_variables(one.f_code) for one in frames):
                    found[numbers[ident]] = self._place(frames)
        return found

    def _place(self, frames: list[FrameType]) -> tuple[int, ...]:
        own = [one for one in frames if self._is_own(one)]
        return id(frames[-1]), frames[-1].f_lasti, self._same_calls.moment_now(own)

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
        # A stay in the queue for a CPU is accounted when it has ended.
        asks, can_run = self._asks_for_lock(number), _can_run(number)
        self._asks[number] = asks
        return (own, True) if asks or not can_run else (ran, False)

    def _asks_for_lock(self, number: int) -> bool:
        """Whether it has waited for the interpreter's lock: it then asks after each switch interval, and may run now.

        Who waits for a CPU gives up none meanwhile.
        """
        since, count = self._given_up[number]
        if not count:
            return False  # it was alone
        most = (time.monotonic() - since) / SWITCH_SECONDS
        return _times_given_up(number) - count > ASKS_MOSTLY * most


class Collecting:
    """The seconds that the garbage collector took on each thread."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        self._since: dict[int, float] = {}  # of threads that collect now
        gc.callbacks.append(self._called)

    def stop(self) -> None:
        with suppress(ValueError):
            gc.callbacks.remove(self._called)

    def _called(self, phase: str, _: dict[str, int]) -> None:
        thread, now = threading.get_ident(), time.monotonic()
        if phase == "start":
            self._since[thread] = now
        elif thread in self._since:
            self._seconds[thread] = self._seconds.get(thread, 0.0) + now - self._since.pop(thread)

    def take(self, thread: int | None) -> float:
        """Since it was taken last. The lock may be free for the first time when the collector calls back at its end."""
        number, now = thread or 0, time.monotonic()
        since = self._since.get(number)
        if since is not None:
            self._since[number] = now
        return self._seconds.pop(number, 0.0) + (0.0 if since is None else now - since)


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


def _can_run(number: int, process: int | str = "self") -> bool:
    """Running, or queued for a CPU right now."""
    try:
        with open(f"/proc/{process}/task/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return True


def _times_given_up(number: int) -> int:
    """How often a thread gave up its CPU by itself, to wait."""
    try:
        with open(f"/proc/self/task/{number}/status") as file:
            return next((int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches")), 0)
    except (OSError, ValueError):
        return 0


def _library_computes(python_threads: set[int | None]) -> bool:
    """Whether a thread that is none of Python's can run: a library's own, for which Python's thread waits."""
    return any(_can_run(number) for number in _all_threads() if number not in python_threads)


def _all_threads(process: int | str = "self") -> list[int]:
    with suppress(OSError):
        return [int(number) for number in os.listdir(f"/proc/{process}/task")]
    return []


def _children(process: int) -> list[int]:
    """Processes that this one started, whichever of its threads did."""
    found: list[int] = []
    for number in _all_threads(process):
        with suppress(OSError, ValueError), open(f"/proc/{process}/task/{number}/children") as file:
            found += map(int, file.read().split())
    return found


def _children_that_can_run() -> tuple[int, int, int, int]:
    """Processes that this one started, those of them that can run, their threads that can, and managers that can."""
    children, managers = _children(os.getpid()), _managers()
    threads = {child: sum(_can_run(number, child) for number in _all_threads(child)) for child in children}
    can_run = [child for child, count in threads.items() if count]
    return len(children), len(can_run), sum(threads.values()), len(managers.intersection(can_run))


def _managers() -> set[int]:
    """The processes that multiprocessing.Manager() started."""
    started = getattr(sys.modules.get("multiprocessing.process"), "_children", ())
    with suppress(RuntimeError):  # it changes meanwhile
        return {one._popen.pid for one in list(started) if one.name.startswith(MANAGERS) and one._popen is not None}
    return set()


def usable_cpus() -> float:
    """Of this process: those it may run on, or what its control group gives it, if that is less."""
    cpus = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with suppress(OSError, ValueError, ZeroDivisionError), open(QUOTA) as file:
        quota, period = file.read().split()[:2]
        cpus = min(cpus, int(quota) / int(period))
    return cpus


def names_arrays(frame: FrameType) -> bool:
    """Whether the line that runs names arrays of numbers, and none of Python objects."""
    types = [one.dtype for one in _named_values(frame) if type(one).__name__ == "ndarray"]
    return bool(types) and not any(one.hasobject for one in types)


@lru_cache(maxsize=10_000)
def uses_variables(code: CodeType) -> bool:
    """Whether a function works on the dictionary of its variables, which looking at them writes anew."""
    loads = [one.argval for one in dis.get_instructions(code) if one.opname == "LOAD_GLOBAL"]
    return bool(code.co_flags & OPTIMIZED) and not USES_VARIABLES.isdisjoint(loads)


def names_only_plain(frame: FrameType) -> bool:
    """Whether the line that runs names lists, dictionaries and the like of plain values, and nothing else.

    It is Python's own work, even if the function in C that does it keeps the interpreter's lock too briefly to be seen.
    """
    if uses_variables(frame.f_code):
        return False
    values = _named_values(frame)
    firsts = [next(iter(one.values() if type(one) is dict else one), None) for one in values if type(one) in CONTAINERS]
    plain = [one for one in values if type(one) not in CONTAINERS]
    return bool(firsts) and all(isinstance(one, SCALARS) for one in (*firsts, *plain))


def called_in_c(frame: FrameType) -> list[str]:
    """Modules and types of installed extensions that the line that runs names, as `module:name`."""
    found = [
        (one.__name__, "") if isinstance(one, ModuleType) else (type(one).__module__, type(one).__name__)
        for one in _named_values(frame)
    ]
    return [f"{module}:{name}" for module, name in found if module.partition(".")[0] not in PLAIN_MODULES]


def event_loop(frame: FrameType | None) -> tuple[Any, Any, Any]:
    """The loop of asyncio that a thread runs, its main task, and the callback that it is in; None for what is not."""
    loop = main_task = callback = None
    while frame is not None:
        place = frame.f_globals.get("__name__"), frame.f_code.co_name
        if place == ("asyncio.base_events", "_run_once"):
            loop = frame.f_locals.get("self")
        elif place == ("asyncio.base_events", "run_until_complete"):
            main_task = frame.f_locals.get("future")
        elif place == ("asyncio.events", "_run"):
            callback = frame.f_locals.get("self")
        frame = frame.f_back
    return loop, main_task, callback


def others_are_due(loop: Any) -> bool:
    """Whether callbacks are ready, or a timer has passed."""
    scheduled = getattr(loop, "_scheduled", None)
    return bool(getattr(loop, "_ready", None)) or bool(scheduled and scheduled[0].when() <= loop.time())


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
    names = [name.replace(";", ",") for each in _frames(frame) if (name := _name(each, libraries))]
    return names[::-1]


def _frames_now() -> dict[int, FrameType]:
    """The innermost frame of each thread, without the sampling one's.

    That one would be in its own variable: a cycle, which keeps the variables of all threads until garbage is collected.
    A forked worker may do that, and a pinned tensor that ends there aborts it.
    """
    found = sys._current_frames()
    if threading.current_thread().name.startswith(OWN_THREADS):
        found.pop(threading.get_ident(), None)
    return found


def _frames(frame: FrameType | None) -> list[FrameType]:
    """From the innermost."""
    found: list[FrameType] = []
    while frame is not None and len(found) < DEEPEST:
        found.append(frame)
        frame = frame.f_back
    return found


def _beside(name: str) -> Any:
    """By its path: a program's interpreter need not have perfproof."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_perfproof_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=1)
def _values_module() -> Any:
    return _beside("named_values")


def _named_values(frame: FrameType) -> list[Any]:
    """The values that the line which runs names."""
    found: list[Any] = _values_module().named_values(frame, line_of(frame))
    return found


def _name(frame: FrameType, libraries: tuple[str, ...]) -> str:
    label, own = _label(frame.f_code, frame.f_globals.get("__name__", ""), libraries)
    return f"{label}:{line_of(frame)})" if own else label


@lru_cache(maxsize=10_000)
def _label(code: CodeType, module: str, libraries: tuple[str, ...]) -> tuple[str, bool]:
    """A function's name, up to the line if it is the program's own; empty if it started Python."""
    file, function = code.co_filename, code.co_name
    if os.path.dirname(file) == HERE or module == "runpy":
        return "", False
    if file.startswith(libraries):
        return f"{module}:{function}", False
    return f"{function} ({os.path.basename(file)}", True


def line_of(frame: FrameType) -> int:
    """The jump at the end of a loop may have no line of its own: then the last one before it."""
    if frame.f_lineno is not None:
        return frame.f_lineno
    before = [line for start, _, line in frame.f_code.co_lines() if line is not None and start <= frame.f_lasti]
    return before[-1] if before else frame.f_code.co_firstlineno
