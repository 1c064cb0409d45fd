"""How often are two equal things called different, and how small a slow-down is found?

    python benchmarks/aa_rate.py aa --comparisons 200          twin A/A of three bodies; ours beside two other rules
    python benchmarks/aa_rate.py aa --busy 2                   the same beside two processes that never rest
    python benchmarks/aa_rate.py sensitivity --comparisons 30  a 150 µs body slowed by 1 % and by 3 %
    python benchmarks/aa_rate.py rounds                        what a round costs beyond the work itself
    python benchmarks/aa_rate.py table --log A.jsonl B.jsonl   the A/A table from the logs of several runs

Each prints a table and, with --save FILE, writes it with date, machine and versions. The other rules judge the very
same samples: pyperf's two-sample t test at 95 %, and Welch's t test at 5 % as hyperfine's own script applies it. Both
take every sample as independent.
"""

import argparse
import contextlib
import json
import secrets
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

from heading import heading

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

BODIES = Path(__file__).parent / "bodies"
TWINS = ("string_sets", "array_add", "small_products")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("aa", "sensitivity", "rounds", "table"))
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--percent", type=int, nargs="+", default=[1, 3], help="with sensitivity: what is injected")
    parser.add_argument("--busy", type=int, default=0, help="processes that never rest beside the comparisons")
    parser.add_argument("--save", type=Path, help="write the table here")
    parser.add_argument("--log", type=Path, nargs="+", default=[], help="a JSON line a comparison; table reads them")
    options = parser.parse_args()
    if options.what == "table":
        lines = aa_table([json.loads(line) for log in options.log for line in log.read_text().splitlines()])
    else:
        lines = measured(options)
    text = "\n".join([*heading(), "", *lines, ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def measured(options: argparse.Namespace) -> list[str]:
    facts = read_facts("cpu")
    launches = Launches(worker_environment(RunOptions(), facts))
    try:
        launches.start(15)  # the pool's start is not part of a comparison, wherever it ends
        with busy(options.busy):
            if options.what == "aa":
                return aa(launches, facts, options.comparisons, options.log[0] if options.log else None)
            if options.what == "sensitivity":
                return sensitivity(launches, facts, options.comparisons, options.percent)
            return rounds(launches, facts, options.comparisons)
    finally:
        launches.close()


@contextlib.contextmanager
def busy(processes: int):
    """So many processes that never rest, on any core."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def aa(launches: Launches, facts, comparisons: int, log: Path | None) -> list[str]:
    """Twin A/A: the same code as two objects with buffers of their own."""
    found = []
    for number in range(comparisons):
        body = TWINS[number % len(TWINS)]
        result, samples = compare(launches, facts, body, {})
        sides = [
            [row["seconds"] for row in samples if row["side"] == side and row["kind"] == "optimized"]
            for side in ("baseline", "optimized")
        ]
        ratio = result.ratios.get("optimized")
        one = {
            "body": body,
            "verdict": result.verdict or result.status,
            "ratio": [ratio.ratio, ratio.low, ratio.high] if ratio else None,
            "seconds": result.seconds,
            "launches": ratio.launches if ratio else 0,
            "pyperf": pyperf_differs(*sides) if all(sides) else None,
            "welch": welch_differs(*sides) if all(sides) else None,
            "note": result.reason or (ratio.note if ratio else ""),
        }
        found.append(one)
        if log:
            with log.open("a") as file:
                file.write(json.dumps(one) + "\n")
        show(f"aa {number + 1}/{comparisons} {body}: {one['verdict']} {one['note']} {result.seconds:.0f} s", "")
    return aa_table(found)


def aa_table(found: list[dict]) -> list[str]:
    lines = [
        "| body | comparisons | faster or slower | same | inconclusive | unstable | other | pyperf: different "
        "| Welch (hyperfine): different | median seconds |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name in (*TWINS, "all"):
        own = [one for one in found if name in (one["body"], "all")]
        count = Counter(one["verdict"] for one in own)
        judged = count["faster"] + count["slower"]
        named = judged + count["same"] + count["inconclusive"] + count["unstable"]
        others = " | ".join(str(sum(bool(one[rule]) for one in own)) for rule in ("pyperf", "welch"))
        lines.append(
            f"| {name} | {len(own)} | {judged} | {count['same']} | {count['inconclusive']} | {count['unstable']} "
            f"| {len(own) - named} | {others} | {median(one['seconds'] for one in own) if own else 0:.1f} |"
        )
    return lines


def sensitivity(launches: Launches, facts, comparisons: int, percent: list[int]) -> list[str]:
    """Slowed by exactly so many steps in a hundred."""
    lines = [
        "| injected | comparisons | slower | same | inconclusive | unstable | other | median effect measured "
        "| median half-width | median seconds | longest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for extra in percent:
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
    known = run_process(job, launches.get(0), PLAIN, 0, 0, 1)
    for number in range(comparisons):
        pair = [run_process(job, launches.get(number % 8), PLAIN, number, 0, slot, before=known) for slot in (1, -1)]
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


def show(line: str, table: object) -> None:
    counts = dict(table) if isinstance(table, Counter) else ""
    print(f"{time.strftime('%H:%M:%S')} {line}  {counts}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
