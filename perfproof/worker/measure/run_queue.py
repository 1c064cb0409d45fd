"""How long this thread could have run and had no core: what a wait of its own (for a file, a lock) is not."""

import os
import threading

_own = threading.local()
_pread, _open = os.pread, os.open  # before a pair can replace them


def waited_for_a_core() -> float | None:
    """Seconds since the thread began, by the scheduler's own account; None where it keeps none."""
    try:
        return int(_pread(_descriptor(), 64, 0).split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return None


def _descriptor() -> int:
    """The file of this thread. A file that was opened before a fork belongs to the parent, so it is opened again."""
    pid = os.getpid()
    if getattr(_own, "pid", None) != pid:
        _own.descriptor, _own.pid = _open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC), pid
    return _own.descriptor
