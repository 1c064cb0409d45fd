"""The climb of a lab: how many operations per second each step reaches, and the library beside it.

A step's rate is its `flops` over the seconds of its `optimized`. A step with a baseline of its own begins a climb, and
that baseline is shown before it. The gain so far is the product of the ratios of all steps on the way, each measured
against the step before. The limit is the speed of light: the machine's measured ceilings and the step's own count. The
library is `optimized_torch` of the same run. Registers, spills and shared memory are those of the step's kernel.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.core.documents import KernelResources, Run, TargetResult
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.chapters import results_of

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
    kernel: KernelResources | None
    machine: str
    date: str


def climb_of(pairs: Sequence[Pair | Broken], runs: Iterable[Run]) -> list[Step]:
    """The newest result of each step, in the order of the climb, on the machine that has most of them."""
    newest: dict[str, dict[str, tuple[str, TargetResult]]] = {}
    for run, target in results_of(runs):
        if _rate(target, "optimized"):
            date, known = (target.started or run.started)[:10], newest.setdefault(_machine(run), {})
            if target.target not in known or known[target.target][0] <= date:
                known[target.target] = date, target
    places = {pair.name: place for place, pair in enumerate(pairs)}
    found = {
        machine: sorted((places[name], name) for name in known if name in places) for machine, known in newest.items()
    }
    machine = max(found, key=lambda one: len(found[one]), default="")
    steps: list[Step] = []
    for place, name in found.get(machine, []):
        date, target = newest[machine][name]
        before = (getattr(pairs[place], "borrowed", None) or {}).get("baseline")
        sides = ("optimized",) if before else ("baseline", "optimized")
        known_gains = {step.name: step.gain for step in steps}
        gain = known_gains.get(before) if before else 1.0
        steps += [_step(target, side, gain, machine, date) for side in sides]
    return steps


def climb_block(steps: Sequence[Step]) -> str:
    """What stands between the marks: the picture and its numbers."""
    machine, days = steps[0].machine, sorted({step.date for step in steps})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    lines = [f"![Operations per second of each step]({PICTURE})", "", f"Measured on {machine}, {when}.", ""]
    lines += [f"| {' | '.join(TITLES)} |", f"|---|---|{'---:|' * (len(TITLES) - 2)}"]
    return "\n".join([*lines, *(_line(step) for step in steps)])


def _step(target: TargetResult, side: str, gain: float | None, machine: str, date: str) -> Step:
    """`gain` is that of the step before."""
    name = target.target.partition(":")[2]
    kernel = next((one for one in target.kernel_resources if one.side == side), None)
    sizes = " x ".join(str(size) for size in target.sizes.values())
    named, ratio = (name, target.ratios["optimized"].ratio) if side == "optimized" else (f"before {name}", 1.0)
    gain = gain * ratio if gain and ratio else None
    light = target.variants[side].light if side in target.variants else None
    limit, library = light.share if light else None, _rate(target, "optimized_torch")
    return Step(named, sizes, _rate(target, side), gain, limit, library, kernel, machine, date)


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
    cells = [named, step.sizes, f"{step.rate / 1e12:.3g}", gain, limit, library, share, *_taken(step.kernel)]
    return f"| {' | '.join(cells)} |"


def _taken(kernel: KernelResources | None) -> list[str]:
    if kernel is None:
        return ["–"] * 4
    spilled = (kernel.spill_stores or 0) + (kernel.spill_loads or 0)
    shared = kernel.static_shared + (kernel.dynamic_shared or 0)
    blocks = "–" if kernel.blocks_per_sm is None else str(kernel.blocks_per_sm)
    return [str(kernel.registers), "–" if kernel.spill_stores is None else f"{spilled} B", f"{shared:,} B", blocks]
