"""The climb of a lab: how many operations per second each step reaches, and the library beside it.

A step's rate is its `flops` over the seconds of its `optimized`. A step with a baseline of its own begins a climb, and
that baseline is shown before it. The gain so far is the product of the ratios of all steps on the way, each measured
against the step before. The limit is the speed of light: the machine's measured ceilings and the step's own count. The
library is `optimized_torch` of the same run. Registers, spills and shared memory are those of the step's kernel. A step
whose run is not here keeps its row of the page.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.core.documents import KernelResources, Run, TargetResult
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.chapters import parse_table, results_of

BEGIN, END = "<!-- climb:begin -->", "<!-- climb:end -->"
PICTURE = "climb.svg"
TITLES = (
    "step", "sizes", "TFLOP/s", "gain so far", "of the limit", "library", "share",
    "registers", "spilled", "shared memory", "blocks per SM",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    name: str  # "step_03_register_tiles"
    sizes: str
    rate: float  # operations per second
    gain: float | None  # over the baseline that begins the climb; None if a step on the way has no result
    limit: float | None  # share of the speed of light
    library: float  # zero if there is none
    taken: tuple[str, ...]  # registers, spills, shared memory and blocks of the kernel, as the table says them
    machine: str
    date: str


def climb_of(pairs: Sequence[Pair | Broken], runs: Iterable[Run], page: str = "", table: str = "") -> list[Step]:
    """The newest result of each step, in the order of the climb, on the machine that has most of them.

    `page` is the block that now stands between the marks, `table` the lab's table of results: a step whose run is not
    here has its numbers from there. Without any run there is nothing to draw anew.
    """
    newest: dict[str, dict[str, tuple[str, TargetResult]]] = {}
    for run, target in results_of(runs):
        if _rate(target, "optimized"):
            date, known = (target.started or run.started)[:10], newest.setdefault(_machine(run), {})
            if target.target not in known or known[target.target][0] <= date:
                known[target.target] = date, target
    on_page, days, kept = _read_block(page)
    steps_of = {machine: known.keys() & {pair.name for pair in pairs} for machine, known in newest.items()}
    if not any(steps_of.values()):
        return []
    if kept:
        of_page = {pair.name for pair in pairs if pair.name.partition(":")[2] in kept}
        steps_of[on_page] = of_page | steps_of.get(on_page, set())
    best = max(steps_of, key=lambda machine: (len(steps_of[machine]), machine == on_page), default="")
    if best != on_page:
        kept = {}
    ratios, steps = _ratios(table, best), list[Step]()
    for pair in pairs:
        measured, short = newest.get(best, {}).get(pair.name), pair.name.partition(":")[2]
        before = (getattr(pair, "borrowed", None) or {}).get("baseline")
        names = (short,) if before else (f"before {short}", short)
        gain = next((step.gain for step in steps if step.name == before), None) if before else 1.0
        if measured:
            date, target = measured
            steps += [_step(target, name != short, gain, best, date) for name in names]
        elif all(name in kept for name in names):
            ratio = {names[0]: 1.0, short: ratios.get(pair.name)}
            gains = [gain * one if gain and (one := ratio[name]) else None for name in names]
            steps += [_kept(kept[name], name, gain, best, days) for name, gain in zip(names, gains, strict=True)]
    return steps


def climb_block(steps: Sequence[Step]) -> str:
    """What stands between the marks: the picture and its numbers."""
    machine, days = steps[0].machine, sorted({day for step in steps for day in step.date.split(" to ")})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    lines = [f"![Operations per second of each step]({PICTURE})", "", f"Measured on {machine}, {when}.", ""]
    lines += [f"| {' | '.join(TITLES)} |", f"|---|---|{'---:|' * (len(TITLES) - 2)}"]
    return "\n".join([*lines, *(_line(step) for step in steps)])


def _read_block(page: str) -> tuple[str, str, dict[str, list[str]]]:
    """Machine, days and the cells of each step, of a block that this module wrote."""
    head = re.search(r"^Measured on (\S+), (.+)\.$", page, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if "step\\_" in line]
    cells = {row[0].replace("\\_", "_"): row for row in rows if len(row) == len(TITLES)}
    return (head[1], head[2], cells) if head else ("", "", {})


def _ratios(table: str, machine: str) -> dict[str, float]:
    """Pair -> the ratio of its first variant, of the lab's table of results."""
    found: dict[str, float] = {}
    for lines in parse_table(table):
        for line in lines:
            name, _, variant = line.target.replace("\\_", "_").partition(" ")
            ratio = re.match(r"([\d.]+)x", line.measured)
            if line.machine == machine and ratio and variant in ("", "optimized"):
                found[name] = float(ratio[1])
    return found


def _kept(cells: list[str], name: str, gain: float | None, machine: str, date: str) -> Step:
    """A step of the page, with the gain that follows from the steps before it."""
    _, sizes, rate, _, limit, library, _, *taken = cells
    share = None if limit == "–" else float(limit.removesuffix(" %")) / 100
    known = 0.0 if library == "–" else float(library) * 1e12
    return Step(name, sizes, float(rate) * 1e12, gain, share, known, tuple(taken), machine, date)


def _step(target: TargetResult, is_baseline: bool, gain: float | None, machine: str, date: str) -> Step:
    """`gain` is that of the step before."""
    name, side = target.target.partition(":")[2], "baseline" if is_baseline else "optimized"
    kernel = next((one for one in target.kernel_resources if one.side == side), None)
    sizes = " x ".join(str(size) for size in target.sizes.values())
    named, ratio = (name, target.ratios["optimized"].ratio) if side == "optimized" else (f"before {name}", 1.0)
    gain = gain * ratio if gain and ratio else None
    light = target.variants[side].light if side in target.variants else None
    limit, library = light.share if light else None, _rate(target, "optimized_torch")
    return Step(named, sizes, _rate(target, side), gain, limit, library, _taken(kernel), machine, date)


def _rate(target: TargetResult, side: str) -> float:
    """Operations per second; zero if the target does not say."""
    judged = target.ratios.get("optimized" if side == "baseline" else side)
    if judged is None or judged.claim != "time":
        return 0.0
    seconds = judged.baseline if side == "baseline" else judged.variant
    return target.cost.get(f"{side}_flops", target.cost.get("flops", 0.0)) / seconds if seconds else 0.0


def _machine(run: Run) -> str:
    return str(run.machine.get("kind", "unknown"))


def _line(step: Step) -> str:
    library = f"{step.library / 1e12:.3g}" if step.library else "–"
    share = f"{100 * step.rate / step.library:.3g} %" if step.library else "–"
    gain = units.ratio(step.gain) if step.gain else "–"
    limit = f"{100 * step.limit:.3g} %" if step.limit else "–"
    named = step.name.replace("_", "\\_")
    cells = [named, step.sizes, f"{step.rate / 1e12:.3g}", gain, limit, library, share, *step.taken]
    return f"| {' | '.join(cells)} |"


def _taken(kernel: KernelResources | None) -> tuple[str, ...]:
    if kernel is None:
        return ("–",) * 4
    spilled = (kernel.spill_stores or 0) + (kernel.spill_loads or 0)
    shared = kernel.static_shared + (kernel.dynamic_shared or 0)
    blocks = "–" if kernel.blocks_per_sm is None else str(kernel.blocks_per_sm)
    return str(kernel.registers), "–" if kernel.spill_stores is None else f"{spilled} B", f"{shared:,} B", blocks
