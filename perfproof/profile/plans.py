"""What an adapter is given (Work), what it makes of it (Plan), and what comes out of it (Gathered).

An adapter is a file in adapters/ with NAME, `works(work)`, `plan(work, found)` and `gather(work, ran)`. It starts
nothing itself: the plan is run by `profile.running`, with a deadline, as a process group of its own.
"""

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfproof.core.child import ending, last_line
from perfproof.core.events import Events
from perfproof.core.profile_record import Portion
from perfproof.profile.tool_help import Dropped

STEADY = "perfproof_steady"  # the name of the range, and of the function, around the captured calls
OF_PROFILERS = ("[ perf record:", "==PROF==", "USDT:")  # how their own lines in the program's stderr begin


@dataclass(frozen=True)
class Work:
    """A command to profile. `marked` is one of ours: it opens the range itself, when it is warm."""

    command: tuple[str, ...]
    folder: Path
    preset: str
    name: str = "command"  # how its files begin; of a pair, the side
    marked: bool = False
    on_gpu: bool = False
    environment: dict[str, str] = field(default_factory=dict)  # what the command needs beyond ours
    metrics: tuple[str, ...] = ()  # of ncu
    passes: str = ""
    tracing: tuple[str, ...] = ()  # of nsys, beyond the preset's
    pid: int | None = None  # of a process that runs already; then `command` is what it was started as
    seconds: float = 10.0  # to look at it
    window: dict[str, Any] | None = None  # which part of a program is recorded or counted; None: all of it
    kernels: str = ""  # a regular expression of those that ncu counts; empty: all
    skip: int = 0  # launches of these, before the first that is counted
    count: int | None = None  # launches that are counted

    def file(self, suffix: str) -> Path:
        return self.folder / f"{self.name}{suffix}"


@dataclass(frozen=True)
class Plan:
    """What is started. `refused` says why nothing is."""

    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    recorded: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    passes: str = ""
    notes: tuple[str, ...] = ()
    refused: str = ""
    complete: Path | None = None  # a file that is written when the recording is complete, though the program goes on


@dataclass(frozen=True)
class Ran:
    """How the plan's command ended."""

    exit_code: int | None
    seconds: float
    late: bool  # the deadline came first
    left: int  # processes that outlived it, and were ended
    out: str
    err: str
    why: str = ""  # it could not be started
    large: bool = False  # it wrote more than it may
    complete: bool = False  # the recording was, and the program did not end in the time it was left

    @property
    def said(self) -> str:
        """The last line that the program printed; empty if there is none."""
        theirs = "\n".join(line for line in self.err.splitlines() if not line.startswith(OF_PROFILERS))
        return last_line(theirs, 300) or last_line(self.out, 300)

    @property
    def last_line(self) -> str:
        return self.said or f"exit code {self.exit_code}, nothing was printed"

    @property
    def failure(self) -> str:
        """Why the program failed; empty if it did not, or if it is not known how it ended."""
        if not self.exit_code:
            return ""
        return f"the program {ending(self.exit_code)}{f': {self.said}' if self.said else ' and printed nothing'}"


@dataclass
class Gathered:
    """What the raw files say: a table of events, or portions alone where a tool has counters and no times."""

    events: Events | None = None
    portions: list[Portion] = field(default_factory=list)
    main_files: list[Path] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    found: dict[str, Any] = field(default_factory=dict)
    passes_seen: list[int] = field(default_factory=list)
    denied: str = ""
    fix: str = ""
    failed: str = ""


def find_tool(name: str) -> str | None:
    """On the PATH, or beside our interpreter, where pip puts programs."""
    beside = Path(sys.executable).parent / name
    return shutil.which(name) or (str(beside) if beside.is_file() else None)
