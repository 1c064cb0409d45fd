"""End a process if the process that started it dies, however it dies. Linux only; elsewhere nothing happens."""

import ctypes
import signal
from contextlib import suppress

PR_SET_PDEATHSIG = 1


def end_with_parent(how: int = signal.SIGKILL) -> None:
    """Called in the child. The signal comes when the thread that started it ends, so that thread must stay."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, how)
