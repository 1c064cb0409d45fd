"""Which profiler: the one that was asked for, or the best that works here and says for which it stands in."""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from perfproof.core.errors import UsageError
from perfproof.profile import adapters
from perfproof.profile.plans import Work
from perfproof.profile.python_program import is_launcher, is_python

AUTO = "auto"
USABLE = ("works", "limited")


class Choice(NamedTuple):
    tool: str
    stands_in_for: str = ""


def adapter_names() -> list[str]:
    """The folder is the list."""
    files = (path.stem for folder in adapters.__path__ for path in Path(folder).glob("[a-z]*.py"))
    return sorted(name.replace("_", "-") for name in files)


def adapter(name: str) -> Any:
    if name not in adapter_names():
        raise UsageError(f"--tool {name!r} is unknown: choose {AUTO}, {', '.join(adapter_names())}")
    return importlib.import_module(f"{adapters.__name__}.{name.replace('-', '_')}")


def choose(asked: str, work: Work) -> Choice:
    """`auto` wants counters of ncu for a roofline and a timeline of nsys otherwise; torch and NVML stand in."""
    if asked != AUTO:
        adapter(asked)
        return Choice(asked)
    if work.preset == "none":
        return Choice("telemetry")
    wanted = "ncu" if work.preset == "roofline" else "nsys"
    if not work.on_gpu:
        return Choice(_stand_in(work), f"{wanted}: there is no GPU to profile")
    found = adapter(wanted).works(work)
    if found.state in USABLE:
        return Choice(wanted)
    return Choice(_stand_in(work), f"{wanted}, {found.state}: {found.why}")


def _stand_in(work: Work) -> str:
    """From inside the program where that can be done; samples of the CPU elsewhere."""
    if not work.marked and is_launcher(work.command):
        return "trace-ranks"
    inside = work.marked or is_python(work.command)
    return "torch" if inside and adapter("torch").works(work).state in USABLE else "perf"
