"""Why a target differs between two runs, as far as the two documents can tell; nothing is guessed.

Kernels and clocks are known on a GPU only; power where telemetry was on. What a document does not hold is left out.
"""

import math
from pathlib import Path

from perfproof.core.documents import Run, TargetResult, VariantResult
from perfproof.core.ratio_figures import has_figures, seconds_of
from perfproof.core.units import percent, ratio
from perfproof.history.commits import changed_between

CLOCK_DIFFERS = 0.02  # below that two clocks are alike, as in a comparison of two sides
POWER_DIFFERS = 0.05
NAMED_KERNELS = 3
NAMED_FILES = 3
SOURCES = (".py", ".cu", ".cuh", ".h", ".hpp")


def causes(a: TargetResult, b: TargetResult, variant: str, commits: tuple[str, str] | None = None) -> list[str]:
    """`commits` are those of the two runs, if neither had changed files."""
    found = []
    if a.source_sha256 and b.source_sha256 and a.source_sha256 != b.source_sha256:
        found.append(_source(a, b, commits))
    if a.cost != b.cost:
        found.append(_cost(a.cost, b.cost))
    for side in (variant, "baseline"):
        before, after = a.variants.get(side), b.variants.get(side)
        if before is not None and after is not None:
            times = [seconds_of(target, side, variant) for target in (a, b)]
            found += [f"{side}: {line}" for line in (*_clock(before, after, times), *_kernels(before, after))]
    return [*found, *_power(a, b), *_method(a, b, variant)]


def clean_commits(a: Run, b: Run) -> tuple[str, str] | None:
    """The two commits, if what was measured is what they hold."""
    if any(run.git.get("dirty") is not False or not run.git.get("commit") for run in (a, b)):
        return None
    return str(a.git["commit"]), str(b.git["commit"])


def _source(a: TargetResult, b: TargetResult, commits: tuple[str, str] | None) -> str:
    """The hash is of the pair's file, its CUDA files and the modules of the project that it imports: git says which."""
    if a.code_sha256 and a.code_sha256 == b.code_sha256:
        return "source changed: only the opening words of the pair's file"
    path = Path(b.path)
    changed = changed_between(Path.cwd(), *commits) if commits and b.path else None
    if changed is None:
        return "source changed: the pair's file, or a file of the project that it uses"
    own = (Path.cwd() / path).resolve()
    if own in changed:
        return f"source changed: the pair's file {b.path}"
    used = _used(own)
    others = [file for file in changed if file in used] or [file for file in changed if file.suffix in SOURCES]
    named = f": {_named(others)}" if others else ""
    return f"source changed: not the pair's file, but what it imports{named}"


def _used(path: Path) -> set[Path]:
    """What the pair's file imports of its project, and its CUDA files, as they are now."""
    from perfproof.core.errors import PerfproofError
    from perfproof.pairs.kernels import kernel_files
    from perfproof.pairs.project import folders, own_modules
    from perfproof.pairs.source import read_source

    try:
        source = read_source(path)
        return {file.resolve() for file in (*own_modules(source, folders(path)), *kernel_files(source))}
    except (PerfproofError, OSError):
        return set()


def _named(files: list[Path]) -> str:
    here = Path.cwd().resolve()
    names = sorted(str(file.relative_to(here)) if file.is_relative_to(here) else file.name for file in files)
    more = f" and {len(names) - NAMED_FILES} more" if len(names) > NAMED_FILES else ""
    return ", ".join(names[:NAMED_FILES]) + more


def causes_of_runs(a: Run, b: Run) -> list[str]:
    """What all targets share: the commit and the options that change what is measured."""
    found = []
    commits = [str(run.git.get("commit") or "unknown")[:12] + ("+" if run.git.get("dirty") else "") for run in (a, b)]
    if commits[0] != commits[1]:
        found.append(f"commit {commits[0]} -> {commits[1]}")
    for name in ("effort", "threads", "fast", "device"):
        if a.options.get(name) != b.options.get(name):
            found.append(f"{name} {a.options.get(name)} -> {b.options.get(name)}")
    return found


def _clock(before: VariantResult, after: VariantResult, times: list[float | None]) -> list[str]:
    """A slower clock explains time, not cycles: whichever of the two changed is said."""
    if not before.clock_hz or not after.clock_hz:
        return []
    moved = math.log(after.clock_hz / before.clock_hz)
    lines = []
    if abs(moved) > CLOCK_DIFFERS:
        lines.append(f"clock {before.clock_hz / 1e6:.0f} -> {after.clock_hz / 1e6:.0f} MHz")
    if times[0] and times[1] and abs(math.log(times[1] / times[0])) > CLOCK_DIFFERS:
        cycles = math.log(times[0] / times[1]) - moved
        lines.append(f"cycles {ratio(math.exp(cycles))}" if abs(cycles) > CLOCK_DIFFERS else "cycles unchanged")
    return lines


def _kernels(before: VariantResult, after: VariantResult) -> list[str]:
    if not before.kernels or not after.kernels:
        return []
    old, new = ({one.name: one.count for one in side.kernels} for side in (before, after))
    gone, come = [name for name in old if name not in new], [name for name in new if name not in old]
    counts = [f"{name} {old[name]:g} -> {new[name]:g} a call" for name in old if name in new and old[name] != new[name]]
    words = [*(f"-{name}" for name in gone), *(f"+{name}" for name in come), *counts]
    if not words:
        return []
    more = f" and {len(words) - NAMED_KERNELS} more" if len(words) > NAMED_KERNELS else ""
    return [f"kernels changed: {', '.join(words[:NAMED_KERNELS])}{more}"]


def _cost(a: dict[str, float], b: dict[str, float]) -> str:
    names = sorted(name for name in {*a, *b} if a.get(name) != b.get(name))
    what = "bytes" if any(name.endswith("bytes") for name in names) else "declared cost"
    return f"{what} changed: " + ", ".join(f"{name} {a.get(name)} -> {b.get(name)}" for name in names)


def _power(a: TargetResult, b: TargetResult) -> list[str]:
    lines = []
    before, after = ((one.telemetry or {}).get("median", {}) for one in (a, b))
    for name in sorted(set(before) & set(after)):
        old, new = before[name], after[name]
        if name.endswith("power_watts") and old and abs(new / old - 1) > POWER_DIFFERS:
            lines.append(f"power {old:.0f} -> {new:.0f} W ({name})")
    limits = [(one.telemetry or {}).get("power_limited") or {} for one in (a, b)]
    for source in sorted(set(limits[0]) & set(limits[1])):
        if abs(limits[1][source] - limits[0][source]) > POWER_DIFFERS:
            lines.append(f"held by its power limit {percent(limits[0][source], 0)} -> {percent(limits[1][source], 0)}")
    return lines


def _method(a: TargetResult, b: TargetResult, variant: str) -> list[str]:
    """Two ways to measure in one comparison: how sides alternate, what a ratio is of, whether the queue was held."""
    lines = []
    old, new = a.ratios[variant], b.ratios[variant]
    if old.rung != new.rung:
        lines.append(f"measured in another way: {old.rung} -> {new.rung}")
    if old.claim == "time" and has_figures(old) != has_figures(new):
        lines.append("the ratio is of all calls together in one run, of typical calls in the other")
    if a.primed != b.primed:
        lines.append("the device's queue was held in one of the two only")
    return lines
