"""How often are two equal things called different, and how small a slow-down is found?

    python benchmarks/aa_rate.py aa --comparisons 200          twin A/A of three bodies; ours beside two other rules
    python benchmarks/aa_rate.py sensitivity --comparisons 30  a 150 µs body slowed by 1 % and by 3 %
    python benchmarks/aa_rate.py rounds                        what a round costs beyond the work itself

Each prints a table and, with --save FILE, writes it with date, machine and versions. The other rules judge the very same
samples: pyperf's two-sample t test at 95 %, and Welch's t test at 5 % as hyperfine's own script applies it. Both take
every sample as independent.
"""

import argparse
import datetime
import json
import platform
import secrets
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.machine.snapshot import snapshot
from perfproof.pairs.contract import read_pair

BODIES = Path(__file__).parent / "bodies"
TWINS = ("string_sets", "array_add", "small_products")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("aa", "sensitivity", "rounds"))
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    facts = read_facts("cpu")
    launches = Launches(worker_environment(RunOptions(), facts))
    try:
        launches.start(15)  # the pool's start is not part of a comparison, wherever it ends
        lines = {"aa": aa, "sensitivity": sensitivity, "rounds": rounds}[options.what](launches, facts, options.comparisons)
    finally:
        launches.close()
    text = "\n".join([*heading(), "", *lines, ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def aa(launches: Launches, facts, comparisons: int) -> list[str]:
    """Twin A/A: the same code as two objects with buffers of their own."""
    table: dict[str, Counter] = {body: Counter() for body in TWINS}
    for number in range(comparisons):
        body = TWINS[number % len(TWINS)]
        result, samples = compare(launches, facts, body, {})
        count = table[body]
        count["comparisons"] += 1
        count[result.verdict or result.status] += 1
        count["seconds"] += result.seconds
        sides = [[row["seconds"] for row in samples if row["side"] == side] for side in ("baseline", "optimized")]
        count["pyperf"] += pyperf_differs(*sides)
        count["welch"] += welch_differs(*sides)
        show(f"aa {number + 1}/{comparisons} {body}: {result.verdict or result.status} {result.reason}", table)
    return aa_table(table)


def aa_table(table: dict[str, Counter]) -> list[str]:
    lines = [
        "| body | comparisons | faster or slower | same | inconclusive | unstable | other | pyperf: different "
        "| Welch (hyperfine): different | seconds each |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    total: Counter = sum(table.values(), Counter())
    for name, count in [*table.items(), ("all", total)]:
        n = max(1, count["comparisons"])
        judged = count["faster"] + count["slower"]
        named = sum(count[word] for word in ("faster", "slower", "same", "inconclusive", "unstable"))
        lines.append(
            f"| {name} | {count['comparisons']} | {judged} | {count['same']} | {count['inconclusive']} "
            f"| {count['unstable']} | {count['comparisons'] - named} | {count['pyperf']} | {count['welch']} "
            f"| {count['seconds'] / n:.1f} |"
        )
    return lines


def sensitivity(launches: Launches, facts, comparisons: int) -> list[str]:
    """Slowed by exactly one step, and by three, in a hundred."""
    lines = [
        "| injected | comparisons | slower | same | inconclusive | unstable | other | median effect measured "
        "| median half-width | median seconds | longest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for extra in (1, 3):
        count: Counter = Counter()
        effects, widths, seconds = [], [], []
        for number in range(comparisons):
            result, _ = compare(launches, facts, "one_step_more", {"extra": extra})
            ratio = result.ratios.get("optimized")
            count[result.verdict or result.status] += 1
            if ratio and ratio.low:
                effects.append(1 / ratio.ratio - 1)
                widths.append((ratio.high - ratio.low) / 2)
            seconds.append(result.seconds)
            show(f"{extra} % {number + 1}/{comparisons}: {result.verdict} {effects[-1:]} {result.seconds:.1f} s", count)
        other = comparisons - sum(count[word] for word in ("slower", "same", "inconclusive", "unstable"))
        lines.append(
            f"| {extra} % | {comparisons} | {count['slower']} | {count['same']} | {count['inconclusive']} "
            f"| {count['unstable']} | {other} | {100 * median(effects):+.2f} % | {100 * median(widths):.2f} % "
            f"| {median(seconds):.1f} | {max(seconds):.1f} |"
        )
    return lines


def rounds(launches: Launches, facts, comparisons: int) -> list[str]:
    """A round is a couple of forks: what it takes beyond inputs, preparation, warm-up, samples and their checks."""
    from perfproof.bench.job import PLAIN
    from perfproof.bench.process import run_process

    job = job_for(facts, "one_step_more", {})
    couples = []
    for number in range(comparisons):
        pair = [run_process(job, launches.get(number % 8), PLAIN, number, 0, slot, first=False) for slot in (1, -1)]
        couples.append(1e3 * sum(record.overhead for record in pair))
        show(f"round {number + 1}/{comparisons}: {couples[-1]:.1f} ms", "")
    ordered = sorted(couples)
    return [
        "| rounds | median ms | 90th percentile ms | longest ms |",
        "|---|---|---|---|",
        f"| {len(ordered)} | {median(ordered):.1f} | {ordered[int(0.9 * len(ordered))]:.1f} | {ordered[-1]:.1f} |",
    ]


def compare(launches: Launches, facts, body: str, sizes: dict):
    result, samples, _ = run_target(job_for(facts, body, sizes), launches, lambda *_, **__: None, timed=True)
    return result, samples


def job_for(facts, body: str, sizes: dict):
    pair = read_pair((BODIES / f"{body}.py").resolve(), body, "bodies")
    return make_job(pair, sizes, RunOptions(), facts, secrets.token_hex(16), time.monotonic() + 300)


def pyperf_differs(a: list[float], b: list[float]) -> bool:
    from pyperf._utils import is_significant

    return bool(is_significant(a, b)[0])


def welch_differs(a: list[float], b: list[float]) -> bool:
    from scipy.stats import ttest_ind

    return bool(ttest_ind(a, b, equal_var=False).pvalue < 0.05)


def heading() -> list[str]:
    seen = snapshot("cpu")
    software = {name: seen["software"].get(name) for name in ("python", "torch", "numpy")}
    return [
        f"Date: {datetime.date.today()}. Machine: {seen['kind']}, {seen['cpu'].get('model')}, "
        f"Linux {platform.release().split('-')[0]}, virtual machine.",
        f"Versions: {json.dumps(software)}.",
        f"Command: python benchmarks/{Path(sys.argv[0]).name} {' '.join(sys.argv[1:])}",
    ]


def show(line: str, table: object) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}  {dict(table) if isinstance(table, Counter) else ''}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
