"""A pasted command line as words that keep their spelling, split into what stands before the profiler, its options, and
the program.

`$OUT`, `$(pgrep python)` and quotes must survive a correction, so a word keeps its raw text; only words that are
corrected are quoted anew.
"""

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass, field

WORD = re.compile(r"(?:\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|[^\s\\])+|\\", re.DOTALL)
TOOLS = {"nsys": "nsys", "nsys.exe": "nsys", "ncu": "ncu", "ncu.exe": "ncu", "nv-nsight-cu-cli": "ncu"}
PROGRAM = re.compile(r"(python[\d.]*|torchrun|bash|sh|uv|srun|mpirun|accelerate|deepspeed)$|\./|.*\.(py|sh)$|/")


@dataclass
class Option:
    """`--trace=cuda`, `-t cuda` or `--csv`, with its raw words."""

    name: str
    value: str | None
    raw: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.raw)


@dataclass
class Command:
    before: list[str]  # raw: assignments, sudo, srun
    tool: str  # nsys or ncu; empty where there is none
    spelt: str = ""  # the raw word of the tool
    verb: str | None = None  # nsys profile
    options: list[Option] = field(default_factory=list)
    program: list[str] = field(default_factory=list)  # raw, with a `--` before it if there was one

    def line(self) -> str:
        verb = [self.verb] if self.verb else []
        options = [word for option in self.options for word in option.raw]
        spelt = [self.spelt] if self.spelt else []
        return " ".join([*self.before, *spelt, *verb, *options, *self.program])


def plain(raw: str) -> str:
    """What the shell makes of a raw word, as far as that is certain."""
    try:
        parts = shlex.split(raw)
    except ValueError:
        return raw
    return parts[0] if len(parts) == 1 else raw


def made(name: str, value: str | None = None) -> Option:
    """A new option in the spelling of the manuals: `--name=value` long, `-n value` short."""
    if value is None:
        return Option(name, None, [name])
    joined = [f"{name}={shlex.quote(value)}"] if name.startswith("--") else [name, shlex.quote(value)]
    return Option(name, value, joined)


def read(line: str, switches: Collection[str], known: Collection[str]) -> Command:
    """The parts of one command. `switches` take no value; `known` options that are not among them take one."""
    words = WORD.findall(line)
    at = next((i for i, word in enumerate(words) if plain(word).rpartition("/")[2] in TOOLS), None)
    if at is None:
        return Command(words, "")
    command = Command(words[:at], TOOLS[plain(words[at]).rpartition("/")[2]], words[at])
    rest = words[at + 1 :]
    if command.tool == "nsys" and rest and not rest[0].startswith("-"):
        command.verb = rest.pop(0)
    while rest and plain(rest[0]).startswith("-") and rest[0] not in ("--", "-"):
        command.options.append(_option(rest, switches, known))
    command.program = rest
    return command


def _option(rest: list[str], switches: Collection[str], known: Collection[str]) -> Option:
    raw = rest.pop(0)
    name, mark, value = plain(raw).partition("=")
    if not name.startswith("--") and len(name) > 2:  # -tcuda
        name, value, mark = name[:2], plain(raw)[2:], "="
    if mark:
        return Option(name, value, [raw])
    takes = name in known or (bool(rest) and not _starts_something(rest))
    if name in switches or not rest or not takes:
        return Option(name, None, [raw])
    word = rest.pop(0)
    return Option(name, plain(word), [raw, word])


def _starts_something(rest: list[str]) -> bool:
    """Of an option that is not known: whether the next word is another option or the program, not its value."""
    word = plain(rest[0])
    return word.startswith("-") or len(rest) == 1 or bool(PROGRAM.match(word))
