"""CPU affinity: can a worker be kept on the cores it was given?"""

import os

from perfproof.core.doctor import Finding
from perfproof.machine import layout

GROUP = "measuring"


def probe() -> Finding:
    """Pins this thread to one CPU and sets it free again; the rest of the process is not touched."""
    if not hasattr(os, "sched_setaffinity"):
        why = "this system cannot pin a process: workers move between cores"
        return Finding(name="CPU affinity", state="absent", why=why)
    allowed = layout.allowed_cpus()
    try:
        os.sched_setaffinity(0, {min(allowed)})
        held = os.sched_getaffinity(0) == {min(allowed)}
        os.sched_setaffinity(0, allowed)
    except OSError as error:
        why = f"pinning is refused: {error.strerror}"
        return Finding(name="CPU affinity", state="denied", why=why)
    if not held:
        return Finding(name="CPU affinity", state="denied", why="a pinned thread is free to move")
    return Finding(name="CPU affinity", state="works", why=f"{len(allowed)} CPUs to choose from")
