"""Which part of a program is recorded: a few steps of its steady state, and not its beginning.

The recording begins with the program and is thrown away, and begun again, when the program is steady; a program that
ends before has been recorded from its beginning. Steps are batches of a DataLoader or steps of an optimizer: of the
two, what comes first counts. A program with neither is recorded by time. Only the standard library and torch are
imported.
"""

import ctypes
import importlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any

STEADY_AFTER = 4  # steps at least
ALIKE, ALIKE_STEPS = 1.5, 3  # so many steps in a row, the longest within this factor of the shortest
PATIENCE_STEPS = 20  # a program whose steps stay uneven is recorded all the same
WAIT_SECONDS, RECORD_SECONDS = 10.0, 2.0  # by time
BESIDE = 2  # steps more than asked for: the first and the last are not whole


class Window:
    """Moves from "start" to "steady" to "done". All methods run on the main thread, where the profiler was started."""

    def __init__(self, begin: Callable[[], Any], save: Callable[[Any], None], wish: dict[str, Any]) -> None:
        self.begin, self.save = begin, save
        self.steps, self.warmup = wish.get("steps") or 3, wish.get("warmup", 1)
        self.wait_steps, self.wait_seconds = wish.get("wait_steps"), wish.get("wait_seconds")
        self.duration = wish.get("duration")
        self.phase, self.recording = "start", begin()
        self.counted, self.by_time = "", self.duration is not None or self.wait_seconds is not None
        self.times: dict[str, list[float]] = {}
        self.started, self.left, self.told = time.monotonic(), 0, "the whole program"
        self._later: list[Any] = []
        self._restarted = threading.Event()

    def tick(self, kind: str) -> None:
        """A step of this kind begins or ends."""
        if self.by_time or self.phase == "done":
            return
        times = self.times.setdefault(kind, [])
        times.append(time.monotonic())
        if not self.counted and len(times) > 1:
            self.counted = kind
        if kind != self.counted:
            return
        if self.phase == "start" and self._is_steady(times):
            self.restart()
            self.left = self.steps + BESIDE
            self.told = f"{self.steps} steps, after {len(times)} others ({kind})"
        elif self.phase == "steady":
            self.left -= 1
            if self.left == 0:
                self.finish()

    def _is_steady(self, times: list[float]) -> bool:
        steps = len(times) - 1 - self.warmup
        if self.wait_steps is not None:
            return steps >= self.wait_steps
        if steps < STEADY_AFTER:
            return False
        last = [after - before for before, after in zip(times[-ALIKE_STEPS - 1 :], times[-ALIKE_STEPS:], strict=False)]
        return max(last) <= ALIKE * min(last) or steps >= PATIENCE_STEPS

    def restart(self) -> None:
        """Throw away what was recorded so far."""
        self.recording.stop()
        self.recording, self.phase = self.begin(), "steady"
        self._restarted.set()

    def finish(self) -> None:
        """Stop and write; at the end of the program too, if that comes first."""
        if self.phase != "done":
            self.phase = "done"
            self.save(self.recording)

    def watch(self) -> None:
        """Record by time if no steps are seen meanwhile."""
        threading.Thread(target=self._watch, daemon=True, name="perfproof-window").start()

    def _watch(self) -> None:
        time.sleep(WAIT_SECONDS if self.wait_seconds is None else self.wait_seconds)
        if self.counted or self.phase != "start":
            return
        self.by_time = True
        seconds = RECORD_SECONDS if self.duration is None else self.duration
        self._on_main(self.restart)
        self._restarted.wait()  # the main thread may be in a long call
        time.sleep(seconds)
        self.told = (
            f"{seconds:g} s, after {time.monotonic() - self.started - seconds:.1f} s (by time: no steps were seen)"
        )
        self._on_main(lambda: self.finish() if self.phase == "steady" else None)

    def _on_main(self, action: Callable[[], Any]) -> None:
        """Have the interpreter call it on the main thread, between two instructions of the program."""

        def run(_: Any) -> int:
            action()
            return 0

        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(run)
        self._later.append(call)  # it has to live until it was called
        ctypes.pythonapi.Py_AddPendingCall(call, None)


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


def write_told(path: str, told: str) -> None:
    with open(path, "w") as file:
        json.dump({"recorded": told}, file)
