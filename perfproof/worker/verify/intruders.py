"""Listen for what only an intruder asks the interpreter for: frames of its callers, all objects, a function's code.

The pair contract refuses such code where the text shows it. A name that is put together at run time does not show, but
the interpreter announces what is done (an audit event), and a hook that was added cannot be taken away again.
"""

import sys
from typing import Any

EVENTS = {
    "sys._getframe": "sys._getframe",
    "sys._current_frames": "sys._current_frames",
    "sys.settrace": "sys.settrace",
    "sys.setprofile": "sys.setprofile",
    "gc.get_objects": "gc.get_objects",
    "gc.get_referrers": "gc.get_referrers",
    "gc.get_referents": "gc.get_referents",
    "os.fork": "os.fork",
    "os.forkpty": "os.forkpty",
}
ATTRIBUTES = {
    "object.__getattr__": ("tb_frame", "gi_frame", "cr_frame", "ag_frame"),
    "object.__setattr__": ("__code__",),
}
BETWEEN = ("inspect",)  # hands frames on to whoever asks


def listen() -> list[str]:
    """What code outside every installed module asks for from now on; the list fills while it listens."""
    heard: list[str] = []
    inside = [False]  # looking at the caller's frame raises such an event itself
    getframe, modules, events, attributes, between = sys._getframe, sys.modules, EVENTS, ATTRIBUTES, BETWEEN

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        what = events.get(event)
        if what is None and event in attributes and arguments[1] in attributes[event]:
            what = arguments[1]
        if what is None or inside[0]:
            return
        inside[0] = True
        try:
            frame: Any = getframe(1)
            while frame is not None and frame.f_globals.get("__name__") in between:
                frame = frame.f_back
            if frame is not None:
                name = frame.f_globals.get("__name__", "")
                owner = modules.get(name)
                installed = owner is not None and owner.__dict__ is frame.f_globals and owner.__spec__ is not None
                if (not installed or name.startswith("_pair_")) and f"{what} used" not in heard:
                    heard.append(f"{what} used")
        finally:
            inside[0] = False

    sys.addaudithook(hook)
    return heard
