"""Does the interval contain the truth? Pairs whose ratio is known by construction, on a quiet machine and under load.

    python benchmarks/bias.py --comparisons 30                 2x, 10x and 50x in turn
    python benchmarks/bias.py --comparisons 30 --busy 2        the same beside two processes that never rest

A comparison counts as right if its interval contains the true ratio, or if its verdict is `unstable`. The interval may
miss by the systematic band, which is not noise. With --save FILE the table is written with date, machine and versions.
"""

import argparse
import math
from collections import Counter
from pathlib import Path
from statistics import median

from aa_rate import busy, compare, show
from heading import heading

from perfproof.bench.launches import Launches
from perfproof.bench.run import worker_environment
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts

RATIOS = (2, 10, 50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--comparisons", type=int, default=30)
    parser.add_argument("--busy", type=int, default=0, help="processes that never rest beside the comparisons")
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    facts = read_facts("cpu")
    launches = Launches(worker_environment(RunOptions(), facts))
    try:
        launches.start(15)
        with busy(options.busy):
            lines = table(launches, facts, options.comparisons)
    finally:
        launches.close()
    text = "\n".join([*heading(), "", *lines, ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def table(launches: Launches, facts, comparisons: int) -> list[str]:
    found: dict[int, list] = {ratio: [] for ratio in RATIOS}
    for number in range(comparisons):
        truth = RATIOS[number % len(RATIOS)]
        result, _ = compare(launches, facts, "known_ratio", {"times": truth})
        judged = result.ratios.get("optimized")
        found[truth].append((result, judged, holds(judged, truth)))
        known = judged is not None and judged.low is not None
        figures = f"{judged.ratio:.4g} [{judged.low:.4g}, {judged.high:.4g}]" if known else "no interval"
        right = "holds" if holds(judged, truth) else "MISSES"
        show(f"{truth}x {number + 1}/{comparisons}: {result.verdict} {figures} {right} {result.seconds:.1f} s", "")
    lines = [
        "| true ratio | comparisons | interval contains it | unstable | neither | median measured | median half-width "
        "| median seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for truth, rows in found.items():
        count = Counter("unstable" if judged and judged.verdict == "unstable" else right for _, judged, right in rows)
        known = [judged for _, judged, _ in rows if judged and judged.low]
        width = median((one.high - one.low) / 2 / one.ratio for one in known) if known else math.nan
        ratio = median(one.ratio for one in known) if known else math.nan
        seconds = median(result.seconds for result, _, _ in rows)
        lines.append(
            f"| {truth}x | {len(rows)} | {count[True]} | {count['unstable']} | {count[False]} | {ratio:.4g}x "
            f"| {100 * width:.2f} % | {seconds:.1f} |"
        )
    return lines


def holds(judged, truth: float) -> bool:
    """Does the interval, with the systematic band, contain the truth?"""
    if judged is None or judged.low is None:
        return False
    band = math.exp(judged.beta or 0.0)
    return judged.low / band <= truth <= judged.high * band


if __name__ == "__main__":
    main()
