"""Which part of a program is recorded: a few steps of its steady state, and not its beginning.

The recording begins with the program and is thrown away, and begun again, when the program is steady; a program that
ends before has been recorded from its beginning. Steps are batches of a DataLoader or steps of an optimizer: of the
two, what comes first counts. A program with neither is recorded by time. While none is seen, only the last few seconds
are kept: ten seconds of small operators take torch's profiler gigabytes. If steps come after all, the program had a
long beginning: they are recorded in its place. If steps end and the program goes on for longer than
they took, it is recorded by time as well. In a recording by time, the queue for a CPU does not count. Only the
standard library and torch are imported.

A program that does not use torch has no operators to record, only stacks. It is recorded for longer: it may have
phases, and two seconds see one of them. If it ends meanwhile, all of it has been recorded.

torch's profiler may not be stopped while a range or an operator is open on the thread: on its end the range would write
into memory that is gone. So a change is only asked for, and made at the next moment at which none is open. A program
may be inside of a model nearly all the time: the line that called torch is watched, and the change is made on the next.
"""

import ctypes
import importlib
import json
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

STEADY_AFTER = 4  # steps at least
ALIKE, ALIKE_STEPS = 1.5, 3  # so many steps in a row, the longest within this factor of the shortest
PATIENCE_STEPS = 20  # a program whose steps stay uneven is recorded all the same
WAIT_SECONDS, RECORD_SECONDS = 10.0, 2.0  # by time
STACKS_SECONDS = 20.0  # by time, of a program that does not use torch
TORCH_SHARE = 0.02  # of the samples
SLOWER = 4.0  # times as long at most, on a busy machine
STEPS_SECONDS = 1.0  # at least, in whole steps, unless a number of steps was asked for: fewer samples name no line
SILENT_SECONDS, SILENT_STEPS = 3.0, 8.0  # without a step, and times the longest one: steps are over
KEPT_SECONDS = 4.0  # of a program without steps that has not been recorded yet
LEAST_SECONDS = 1.0  # a shorter recording by time does not replace a longer one
FEWEST_LOOKS = 20  # samples: a recording by time with fewer does not replace one with more
SLEEP_SECONDS = 0.1
LOOK_SECONDS = 0.005  # between two looks for a moment without an open range
FUNCTIONS = (FunctionType, BuiltinFunctionType)
HARMLESS = (
    "optim",
    os.path.join("utils", "data"),
    os.path.join("autograd", "profiler.py"),
    os.path.join("utils", "_contextlib.py"),
)
BESIDE = 2  # steps more than asked for: the first and the last are not whole


class Nothing:
    """In place of a recording before the steady state, if that is all that is wanted."""

    def stop(self) -> None:
        pass


class Window:
    """Moves from "start" to "steady" to "done". All methods run on the main thread, where the profiler was started."""

    def __init__(
        self, begin: Callable[[], Any], save: Callable[[Any], None], wish: dict[str, Any], only_steady: bool = False
    ) -> None:
        """`only_steady`: nothing is recorded before the steady state, so that nothing is thrown away."""
        self.begin, self.save, self.only_steady = begin, save, only_steady
        self.steps, self.warmup = wish.get("steps") or 3, wish.get("warmup", 1)
        self.least_seconds = 0.0 if wish.get("steps") else STEPS_SECONDS
        self.wait_steps, self.wait_seconds = wish.get("wait_steps"), wish.get("wait_seconds")
        self.duration = wish.get("duration")
        self.phase, self.recording, self.begun = "start", self._first(), time.monotonic()
        self.kept: Any = None  # a recording that has ended, of the seconds before this one
        self.kept_seconds, self.queued = 0.0, 0.0
        self.from_here = 0  # the moment in ns before which samples are dropped; 0: none are
        self.asked_time = self.duration is not None or self.wait_seconds is not None
        self.counted, self.by_time = "", self.asked_time
        self.times: dict[str, list[float]] = {}
        self.started, self.before, self.told = time.monotonic(), 0, "the whole program"
        self._call: Any = None
        self._asked: Callable[[], None] | None = None
        self._open_ranges = 0

    def tick(self, kind: str) -> None:
        """A step of this kind begins or ends."""
        if self.by_time and not self.asked_time:
            self._count_steps_after_all()
        if self.by_time or self.phase == "done":
            return
        times = self.times.setdefault(kind, [])
        times.append(time.monotonic())
        if not self.counted and len(times) > 1:
            self.counted = kind
        if kind != self.counted:
            return
        if self.phase == "start" and self._asked is None and self._is_steady(times):
            self.before = len(times)
            self.ask(self.restart)
        elif self.phase == "steady" and self._asked is None:
            recorded = len(times) - self.before - BESIDE
            self.told = f"{max(0, recorded)} steps, after {self.before} others ({kind})"
            if recorded >= self.steps and self._has_enough():
                self.ask(self.finish)

    def _has_enough(self) -> bool:
        """The queue for a CPU does not count, up to a limit."""
        lasted = self._lasted()
        return lasted >= SLOWER * self.least_seconds or lasted - (_queued_seconds() - self.queued) >= self.least_seconds

    def _count_steps_after_all(self) -> None:
        """The program's beginning took longer than the wait."""
        self.by_time, self._asked = False, None
        if self.phase == "done":
            self._begin()
        self.phase, self.kept = "start", None

    def ask(self, action: Callable[[], None]) -> None:
        """Have it done when no range is open: now, if none is."""
        self._asked = action
        self.do_asked()

    def do_asked(self) -> None:
        if self._asked is None or self._open_ranges:
            return
        caller = _caller_of_torch()
        if caller is None:
            action, self._asked = self._asked, None
            if action is not None:  # the interpreter may have called this in the midst of it
                action()
        elif sys.gettrace() is None:  # a debugger keeps its own
            _at_next_line(caller, self.do_asked)

    def range_begins(self) -> None:
        self._open_ranges += 1

    def range_ends(self) -> None:
        self._open_ranges = max(0, self._open_ranges - 1)
        self.do_asked()

    def _is_steady(self, times: list[float]) -> bool:
        steps = len(times) - 1 - self.warmup
        if self.wait_steps is not None:
            return steps >= self.wait_steps
        if steps < STEADY_AFTER:
            return False
        last = [after - before for before, after in zip(times[-ALIKE_STEPS - 1 :], times[-ALIKE_STEPS:], strict=False)]
        return max(last) <= ALIKE * min(last) or steps >= PATIENCE_STEPS

    def renew(self) -> None:
        """Keep the seconds that were recorded last, and drop those before."""
        self._keep()
        self._begin()

    def restart(self) -> None:
        """Throw away what was recorded so far when the new recording has become long enough, or has a whole step."""
        self._keep()
        self._begin(steady=True)
        self.phase = "steady"

    def finish(self) -> None:
        """Stop and write; at the end of the program too, if that comes first."""
        if self.phase == "done":
            return
        ended_early = self.phase == "start" or self._lasted() < min(LEAST_SECONDS, self.kept_seconds)
        if self.by_time:
            ended_early = ended_early or _looks(self.recording) < min(FEWEST_LOOKS, _looks(self.kept))
        elif self.counted:
            ended_early = len(self.times[self.counted]) - self.before <= BESIDE
        self.phase = "done"
        self.recording.stop()
        if self.from_here:
            self.recording.stacks.drop_before(self.from_here)
        if self.kept is not None and ended_early:
            self.told = "what came before the program's end"
            self.recording = self.kept
        self.save(self.recording)

    def _begin(self, steady: bool = False) -> None:
        self.recording = self.begin() if steady else self._first()
        self.begun, self.queued = time.monotonic(), _queued_seconds()

    def _first(self) -> Any:
        return Nothing() if self.only_steady else self.begin()

    def _keep(self) -> None:
        """A main thread that waits for others may let several changes come at once, with nothing between them."""
        lasted = self._lasted()
        self.recording.stop()
        if self.kept is None or lasted >= min(LEAST_SECONDS, self.kept_seconds):
            self.kept, self.kept_seconds = self.recording, lasted

    def _lasted(self) -> float:
        return time.monotonic() - self.begun

    def watch(self) -> None:
        """Record by time if no steps are seen meanwhile."""
        threading.Thread(target=self._watch, daemon=True, name="perfproof-window").start()

    def _watch(self) -> None:
        self._wait(WAIT_SECONDS if self.wait_seconds is None else self.wait_seconds)
        if self.asked_time:
            why = "as asked"
        elif not self.counted and self.phase == "start":
            why = "no steps were seen"
        elif self._are_steps_over():
            why = "the steps were over"
        else:
            return
        self.by_time, before = True, self.recording
        only_stacks = not self.asked_time and self._has_only_stacks()
        begun, moment = time.monotonic(), time.time_ns()
        if only_stacks:
            self.phase = "steady"  # nothing is thrown away yet: the program may end soon
        else:
            self._on_main(self.restart, lambda: self.recording is not before or not self.by_time)
            begun = self.begun
        usual = STACKS_SECONDS if only_stacks else RECORD_SECONDS
        self._sleep(usual if self.duration is None else self.duration)
        if not self.by_time:
            return
        self.from_here = moment if only_stacks else 0
        lasted = time.monotonic() - begun
        self.told = f"{lasted:.1f} s, after {begun - self.started:.1f} s (by time: {why})"
        self._on_main(self.finish, lambda: not self.by_time)

    def _are_steps_over(self) -> bool:
        """Whether the program goes on without steps, and for longer than all of its steps took: a short fit before
        hours of inference. Its operators would be recorded until the memory is full."""
        while self.phase != "done":
            time.sleep(SLEEP_SECONDS)
            moments = sorted(moment for times in [*self.times.values()] for moment in times)
            apart = [moments[at] - moments[at - 1] for at in range(1, len(moments))]
            least = max(SILENT_SECONDS, SILENT_STEPS * max(apart, default=0.0), moments[-1] - moments[0])
            if time.monotonic() - moments[-1] > least:
                return True
        return False

    def _has_only_stacks(self) -> bool:
        """Whether the program does not use torch, as far as its modules and the samples tell."""
        stacks = getattr(self.recording, "stacks", None)
        samples = list(getattr(stacks, "samples", ()))
        if stacks is None or len(samples) < FEWEST_LOOKS or _own_modules_name_torch():
            return False
        of_torch = {
            place for names, place in [*stacks.numbers.items()] if any(one.startswith("torch.") for one in names)
        }
        return sum(sample[3] in of_torch for sample in samples) <= TORCH_SHARE * len(samples)

    def _wait(self, seconds: float) -> None:
        """With a recording that is renewed as long as no step was seen."""
        begun, queued = time.monotonic(), _queued_seconds()

        def had() -> float:
            """Without the queue for a CPU, up to a limit: a busy machine makes a program's beginning longer."""
            lasted = time.monotonic() - begun
            return max(lasted / SLOWER, lasted - (_queued_seconds() - queued))

        while (left := seconds - had()) > 0 and self.phase == "start":
            time.sleep(min(left, KEPT_SECONDS))
            if left > KEPT_SECONDS and not self.times and self.phase == "start" and not self._has_only_stacks():
                self._renew_on_main()

    def _sleep(self, seconds: float) -> None:
        """Until the main thread has had this time, without the time that it was in the queue for a CPU."""
        begun, queued = time.monotonic(), _queued_seconds()
        while (now := time.monotonic() - begun) < SLOWER * seconds and now - (_queued_seconds() - queued) < seconds:
            time.sleep(min(seconds, SLEEP_SECONDS))

    def _renew_on_main(self) -> None:
        before = self.recording
        self._on_main(self.renew, lambda: self.recording is not before or self.phase != "start")

    def _on_main(self, action: Callable[[], None], is_done: Callable[[], bool]) -> None:
        """Have the interpreter call it on the main thread, between two instructions of the program.

        It is asked for again only when it has ended: while a call of this kind runs and a trace function is set, Python
        3.11 enters no function as long as another one is asked for, and the program would stand still.
        """
        self._asked = action
        waiting = False

        def run(_: Any) -> int:
            nonlocal waiting
            self.do_asked()
            waiting = False
            return 0

        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(run)  # it has to live until it was called
        while self.phase != "done" and not is_done():
            if not waiting:
                waiting = True
                if ctypes.pythonapi.Py_AddPendingCall(self._call, None) != 0:  # too many are asked for
                    waiting = False
            time.sleep(LOOK_SECONDS)


def _own_modules_name_torch() -> bool:
    """Whether a module of the program, so in a file that is no library's and not of this folder, names torch."""
    libraries = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
    here = os.path.dirname(os.path.abspath(__file__))
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None) or ("<string>" if name == "__main__" else None)
        if name.split(".")[0] == "torch" or not isinstance(module, ModuleType) or not isinstance(file, str):
            continue  # some of torch's modules name no file of their own
        if file.startswith((*libraries, here)):
            continue
        values = [one for one in [*vars(module).values()] if isinstance(one, (ModuleType, type, *FUNCTIONS))]
        owners = (one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", None) for one in values)
        if any(isinstance(owner, str) and owner.split(".")[0] == "torch" for owner in owners):
            return True
    return False


def _looks(recording: Any) -> int:
    """Samples beside a recording: a function in C that keeps the interpreter's lock lets none be taken."""
    return len(getattr(getattr(recording, "stacks", None), "samples", ()))


def _queued_seconds() -> float:
    """That the main thread waited for a CPU; 0 if the system does not say."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _caller_of_torch() -> Any:
    """The frame that called torch, if torch has called the code that runs now: an operator or a pass backward may be
    open. None if it has not."""
    home = os.path.dirname(os.path.abspath(sys.modules["torch"].__file__ or "")) if "torch" in sys.modules else ""
    frame: Any = sys._getframe(1)
    caller = None
    while frame is not None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        inside = home and file.startswith(home + os.sep) and not file[len(home) + 1 :].startswith(HARMLESS)
        if inside or name in ("__torch_dispatch__", "__torch_function__"):
            caller = frame.f_back
        frame = frame.f_back
    return caller


def _at_next_line(frame: Any, action: Callable[[], None]) -> None:
    """Call it once, when this frame of the thread goes on to another line or ends. New frames are not traced."""

    def reached(frame: Any, event: str, _: Any) -> None:
        if event in ("line", "return"):
            sys.settrace(None)
            frame.f_trace = None
            action()

    frame.f_trace = reached
    sys.settrace(lambda *_: None)


def watch_ranges(window: Window) -> Callable[[], None]:
    """Tell the window when ranges of the main thread begin and end; what it gives ends that."""
    ranges = importlib.import_module("torch.autograd.profiler").record_function
    enter, leave, main = ranges.__enter__, ranges.__exit__, threading.main_thread()

    def entered(self: Any) -> Any:
        if threading.current_thread() is main:
            window.range_begins()
        return enter(self)

    def left(self: Any, *error: Any) -> Any:
        answer = leave(self, *error)
        if threading.current_thread() is main:
            window.range_ends()
        return answer

    ranges.__enter__, ranges.__exit__ = entered, left

    def undo() -> None:
        ranges.__enter__, ranges.__exit__ = enter, leave

    return undo


def count_steps(tick: Callable[[str], None]) -> Callable[[], None]:
    """Call `tick` at every batch of a DataLoader and every step of an optimizer; what it gives ends that."""
    loading = importlib.import_module("torch.utils.data.dataloader")._BaseDataLoaderIter
    optimizer = importlib.import_module("torch.optim.optimizer")
    given = loading.__next__

    def counted(self: Any) -> Any:
        tick("batches of a DataLoader")
        return given(self)

    loading.__next__ = counted
    register = getattr(optimizer, "register_optimizer_step_post_hook", None)
    hook = register(lambda *_: tick("steps of an optimizer")) if register else None

    def undo() -> None:
        loading.__next__ = given
        if hook is not None:
            hook.remove()

    return undo


def write_told(path: str, window: Window) -> None:
    with open(path, "w") as file:
        json.dump({"recorded": window.told, "may_be_taken_again": window.by_time and not window.asked_time}, file)
