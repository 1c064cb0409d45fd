"""Options that several commands share, and the values people write for them: `1%`, `3m`, `7d`."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from perfproof.core.durations import parse_duration, parse_positive_duration
from perfproof.core.errors import UsageError
from perfproof.core.options import EFFORTS


def option(written: str, help: str, **more: Any) -> Any:
    """An option as a usage line has it: "-k --keyword WORD" is its names and what stands for its value."""
    words = written.split()
    names = [word for word in words if word.startswith("-")]
    return typer.Option(*names, **{"metavar": " ".join(words[len(names) :]) or None} | more, help=help)


def argument(metavar: str, help: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, **more)


def effort_option(default: str) -> Any:
    text = (
        "quick: takes seconds, finds effects above about 3 % (between functions, below 5 % only indicative); "
        "standard: full verdicts; final: for published claims, needs a fit machine."
    )
    return option("--effort", f"{text} [default: {default}]", metavar="|".join(EFFORTS))


def parse_artifacts_dir(given: str) -> str:
    """A folder, or nothing yet: what is asked of a file would be answered as if there were no runs."""
    place = Path(given)
    if place.exists() and not place.is_dir():
        raise UsageError(f"--artifacts-dir {given}: is no folder; name the one that run folders are kept in")
    return given


__all__ = ["parse_duration", "parse_positive_duration"]  # for commands, beside the options

SHORT_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}

Allow = Annotated[
    list[str] | None,
    option(
        "--allow REASON",
        "With --effort final: measure despite this reason (load, virtual, a code such as W107, or all; repeatable).",
    ),
]
ArtifactsDir = Annotated[
    str, option("--artifacts-dir DIR", "Folder that run folders are kept in.", callback=parse_artifacts_dir)
]
Budget = Annotated[str | None, option("--budget TIME", "Time limit for measuring all targets together: 90, 3m, 1h.")]
Delta = Annotated[str | None, option("--delta SHARE", "Treat differences below this share as equal. [default: 1%]")]
Details = Annotated[bool, option("-v --details", "Also show memory, set-up time and error of every side.")]
Device = Annotated[str | None, option("--device NAME", "Device to measure on: cpu, cuda or cuda:1.")]
Effort = Annotated[str | None, effort_option("standard")]
Fast = Annotated[
    bool, option("--fast", "Use small sizes and quick effort, only to see whether it works.", envvar="PERFPROOF_FAST")
]
Format = Annotated[str, option("--format NAME", "Output format: table, md, csv, junit, html or json.")]
Json = Annotated[bool, option("--json", "Print the run as JSON, and nothing else.")]
Keyword = Annotated[str | None, option("-k --keyword WORD", "Keep only targets whose name or lesson contains WORD.")]
Notes = Annotated[bool, option("--notes", "Also show routine remarks (notes) about how the run was measured.")]
Quiet = Annotated[bool, option("-q --quiet", "Print one sentence for each result, and nothing else.")]
Shared = Annotated[bool, option("--shared", "Measure even if other processes are using the GPU.")]
Telemetry = Annotated[bool, option("--telemetry/--no-telemetry", "Record clocks, power and load while measuring.")]
Threads = Annotated[int | None, option("--threads N", "Number of CPU threads that each side may use.")]
Timeout = Annotated[str | None, option("--timeout TIME", "Time limit per target: 90, 3m. [default: 300 s]")]
Variants = Annotated[list[str] | None, option("--variant NAME", "Measure only this variant (repeatable).")]


def parse_share(text: str, option: str) -> float:
    """A share of one: "1%" and "0.01" are the same."""
    number, percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        raise UsageError(f"{option} {text!r} is no share: write 1% or 0.01") from None
    if not math.isfinite(share) or not 0 < share < 1:
        raise UsageError(f"{option} {text!r} must lie between 0 and 100 %: write 1% or 0.01")
    return share


def parse_short_time(text: str | None, option: str) -> float | None:
    """Seconds of "500ms" or "2s"."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(us|ms|s)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{option} {text!r} is no time: write 500ms or 2s")
    return float(found[1]) * SHORT_UNITS[found[2]]


def parse_prices(text: str, option: str) -> tuple[float, float]:
    """One price for both sides, or one for each: "2.5", "2.5,4"."""
    try:
        first, _, second = text.partition(",")
        prices = float(first), float(second or first)
    except ValueError:
        prices = (0.0, 0.0)
    if not all(math.isfinite(price) and price > 0 for price in prices):
        raise UsageError(f"{option} {text!r} is no price: write dollars, 2.5, or one for each side, 2.5,4")
    return prices


def parse_effort(text: str) -> str:
    if text not in EFFORTS:
        raise UsageError(f"--effort {text!r} is unknown: choose {', '.join(EFFORTS)}")
    return text


def parse_seed(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{1,64}", text):
        raise UsageError(f"--seed {text!r} is not hexadecimal: write 1 to 64 of the digits 0-9a-f")
    return text.lower()


def parse_threads(number: int) -> int:
    if number < 1:
        raise UsageError(f"--threads {number}: a worker needs at least one thread")
    return number


def parsed(**given: Any) -> dict[str, Any]:
    """Options of a run as it stores them; what was not given keeps its default."""
    parsers: dict[str, Callable[[Any], Any]] = {
        "effort": parse_effort,
        "budget": lambda text: parse_positive_duration(text, "--budget"),
        "timeout": lambda text: parse_positive_duration(text, "--timeout"),
        "delta": lambda text: parse_share(text, "--delta"),
        "threads": parse_threads,
        "seed": parse_seed,
    }
    return {name: parsers[name](value) for name, value in given.items() if value not in (None, "")}
