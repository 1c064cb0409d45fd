"""Which options an installed nsys or ncu takes, from what its --help prints: probe, then build the command.

A flag that one version takes another refuses, and then nothing is profiled at all. So the help text is read once for
each program, and a command is built of accepted options only; what was left out is kept with its reason.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache

from perfproof.core.child import ask

# `-t, --trace=` and `--wait arg (=all)` (nsys); `-o [ --export ] arg` and `--csv     Use commas` (ncu)
DECLARED = re.compile(
    r"^\s+(?:(?P<short>-[A-Za-z])(?:, | \[ ))?(?P<long>--[a-z0-9][\w-]*)(?: \])?"
    r"(?:\[?=(?:[<\[].*|\S*\s*)|\s+arg\b.*|\s{2,}\S.*|\s*)$"
)
POSSIBLE = re.compile(r"[Pp]ossible values(?: are)?:?\s(.*?)\.(?:\s|$)", re.DOTALL)
HELP = {"nsys": ["profile", "--help"], "ncu": ["--help"]}
EXPECTED = {"nsys": ("--trace", "--output"), "ncu": ("--metrics", "--export")}  # in every version there is
LISTS = ("--trace",)  # options whose value is a list of the possible values


@dataclass(frozen=True)
class Flags:
    """The options a tool takes. With `unknown` set nothing is known, and nothing may be concluded."""

    tool: str
    names: frozenset[str] = frozenset()  # short and long
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)  # --trace -> cuda, nvtx, …
    unknown: str = ""


@dataclass(frozen=True)
class Dropped:
    argument: str
    why: str


@cache
def read_flags(program: str, tool: str) -> Flags:
    """Ask the program itself, once."""
    answer = ask([program, *HELP[tool]])
    if answer.why:
        return Flags(tool, unknown=f"unknown: {answer.why}")
    return parse(answer.text, tool)


def parse(text: str, tool: str) -> Flags:
    """The flags of a help text, or why they are unknown."""
    names: set[str] = set()
    said: dict[str, list[str]] = {}
    block: list[str] = []
    for line in text.splitlines():
        match = DECLARED.match(line)
        if match:
            names.update(name for name in match.group("short", "long") if name)
            block = said.setdefault(match["long"], [])
        block.append(line)
    missing = [name for name in EXPECTED[tool] if name not in names]
    if missing:
        command = " ".join([tool, *HELP[tool]])
        return Flags(tool, unknown=f"unknown: `{command}` lists no {missing[0]}: cut short, or not {tool}'s")
    values = {name: _possible("\n".join(said[name])) for name in LISTS if name in said}
    return Flags(tool, frozenset(names), {name: found for name, found in values.items() if found})


def _possible(text: str) -> frozenset[str]:
    match = POSSIBLE.search(text)
    words = re.findall(r"[\w-]+", match[1]) if match else []
    return frozenset(words) - {"and", "or", "are"}


def accepted(arguments: Iterable[str], flags: Flags) -> tuple[list[str], list[Dropped]]:
    """The options (`--name=value` or `--name`, each one word) that the tool takes, and the others with the reason."""
    kept: list[str] = []
    dropped: list[Dropped] = []
    for argument in arguments:
        name, mark, value = argument.partition("=")
        if flags.unknown:
            kept.append(argument)
        elif name not in flags.names:
            dropped.append(Dropped(argument, _not_taken(name, flags)))
        elif mark and name in flags.values:
            good, bad = _split_list(value, flags.values[name])
            kept += [f"{name}={','.join(good)}"] if good else []
            dropped += [Dropped(f"{name}={one}", f"this {flags.tool} has no {name} value {one!r}") for one in bad]
        else:
            kept.append(argument)
    return kept, dropped


def _not_taken(name: str, flags: Flags) -> str:
    near = get_close_matches(name, sorted(flags.names), n=1, cutoff=0.85)
    return f"this {flags.tool} has no {name}" + (f"; it has {near[0]}" if near else "")


def _split_list(value: str, possible: frozenset[str]) -> tuple[list[str], list[str]]:
    parts = value.split(",")
    return [part for part in parts if part in possible], [part for part in parts if part not in possible]
