"""`perfproof ab` beside hyperfine: the same medians, and how often two equal programs are called different.

    python benchmarks/ab_hyperfine.py --log ab.jsonl                 both parts, about 20 minutes on two cores
    python benchmarks/ab_hyperfine.py --log ab.jsonl --repeats 4     a small try; run it again to go on from the log
    python benchmarks/ab_hyperfine.py --log ab.jsonl --table         only the table of what the log holds

Part 1 times two commands of about 50 and 60 ms, one run by hyperfine, one by what `ab` runs programs with, in turn and
in random order: a machine whose speed changes from second to second gives both tools the same. Part 2 compares one
command with itself: with `perfproof ab`, and with hyperfine given as many runs, whose samples are judged as its own
script does it, by Welch's t test at 5 %. Every comparison is a line of the log as soon as it is done.
"""

import argparse
import datetime
import json
import random
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from heading import heading

from perfproof.bench.programs.program import Program, Spawner

BUDGET_SECONDS = 12
MEDIAN_RUNS = 150
WANTED_SECONDS = 0.050


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--log", type=Path, required=True, help="a JSON line a comparison; an existing one is continued"
    )
    parser.add_argument("--repeats", type=int, default=40, help="A/A comparisons with each tool")
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS, help="seconds of one `perfproof ab`")
    parser.add_argument("--table", action="store_true", help="print the table of the log and measure nothing")
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    if not options.table:
        measure(options)
    text = "\n".join([title(), "", *heading(), "", *table(read(options.log)), ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def measure(options: argparse.Namespace) -> None:
    loops = next((row["loops"] for row in read(options.log) if row["part"] == "loops"), None)
    if loops is None:
        loops = calibrated()
        keep(options.log, {"part": "loops", "loops": loops})
    short, long = command(loops), command(loops * 6 // 5)
    for name, arguments in (("short", short), ("long", long)):
        if not any(row["part"] == "medians" and row["name"] == name for row in read(options.log)):
            keep(options.log, {"part": "medians", "name": name, **in_turn(arguments)}, f"medians of {name}")
    for number in range(sum(row["part"] == "aa" for row in read(options.log)), options.repeats):
        ours = ab(short, short, options.budget)
        theirs = hyperfine(short, short, ours["runs"])
        row = {"part": "aa", "ab": ours["verdict"], "interval": ours["interval"], "runs": ours["runs"]}
        row |= {"hyperfine": [median(times) for times in theirs], "welch_p": welch(*theirs)}
        keep(options.log, row, f"A/A {number + 1} of {options.repeats}")


def command(loops: int) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", f"for _ in range({loops}): pass"]


def calibrated() -> int:
    """Loops that make the command take about 50 ms here and now."""
    loops = 200_000
    for _ in range(4):
        times = []
        for _ in range(5):
            started = time.perf_counter()
            subprocess.run(command(loops), check=True)
            times.append(time.perf_counter() - started)
        loops = max(10_000, int(loops * WANTED_SECONDS / median(times)))
    return loops


def ab(a: list[str], b: list[str], budget: float) -> dict:
    """One comparison by `perfproof ab`: verdict, interval, median seconds of both, runs a side."""
    with tempfile.TemporaryDirectory() as folder:
        asked = ["--a", shlex.join(a), "--b", shlex.join(b), "--budget", str(budget), "--artifacts-dir", folder]
        done = subprocess.run(
            [sys.executable, "-m", "perfproof", "ab", *asked, "--device", "cpu", "--no-telemetry", "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
    (target,) = json.loads(done.stdout)["targets"]
    judged = target["ratios"]["b"]
    return {
        "verdict": judged["verdict"],
        "interval": [judged["low"], judged["high"]],
        "medians": [target["variants"][side]["times"]["wall"] for side in ("baseline", "b")],
        "runs": judged["processes"] // 2,
    }


def in_turn(arguments: list[str]) -> dict:
    """Runs by both tools, neighbours in time: the medians, and the median of the neighbours' ratios."""
    ours, theirs = [], []
    with Spawner() as spawner:
        program = Program("a", tuple(arguments), Path.cwd(), {})
        for _ in range(MEDIAN_RUNS):
            for tool in random.sample(("ab", "hyperfine"), 2):
                if tool == "ab":
                    ours.append(spawner.run(program, "a", 60.0).seconds)
                else:
                    theirs += hyperfine(arguments, None, 1)[0]
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    return {"ab": median(ours), "hyperfine": median(theirs), "apart": median(ratios) - 1, "runs": len(ratios)}


def hyperfine(a: list[str], b: list[str] | None, runs: int) -> list[list[float]]:
    """The samples of the commands, without a shell, a warm-up run before several, as `perfproof ab` has it."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        asked = ["--shell", "none", "--warmup", str(int(runs > 1)), "--runs", str(runs), "--export-json", file.name]
        commands = [shlex.join(command) for command in (a, b) if command]
        subprocess.run(["hyperfine", *asked, *commands], capture_output=True, check=True)
        return [result["times"] for result in json.loads(Path(file.name).read_text())["results"]]


def welch(a: list[float], b: list[float]) -> float:
    from scipy.stats import ttest_ind

    return float(ttest_ind(a, b, equal_var=False).pvalue)


def read(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def keep(log: Path, row: dict, what: str = "") -> None:
    with log.open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(f"{datetime.datetime.now():%H:%M:%S} {what} {json.dumps(row)}", file=sys.stderr, flush=True)


def table(rows: list[dict]) -> list[str]:
    lines = ["| command | runs | ab, median | hyperfine, median | apart, neighbours |", "|---|---:|---:|---:|---:|"]
    for row in rows:
        if row["part"] == "medians":
            times = f"{1e3 * row['ab']:.2f} ms | {1e3 * row['hyperfine']:.2f} ms"
            lines.append(f"| {row['name']} | {row['runs']} | {times} | {100 * row['apart']:+.2f} % |")
    equal = [row for row in rows if row["part"] == "aa"]
    different = sum(row["ab"] in ("faster", "slower") for row in equal)
    significant = sum(row["welch_p"] < 0.05 for row in equal)
    words = ", ".join(f"{word} {count}" for word, count in Counter(row["ab"] for row in equal).most_common())
    lines += ["", "| A/A of one command | called different | verdicts |", "|---|---:|---|"]
    lines.append(f"| `perfproof ab` | {different} of {len(equal)} | {words} |")
    lines.append(f"| hyperfine and Welch's t at 5 % | {significant} of {len(equal)} | |")
    return lines


def title() -> str:
    version = subprocess.run(["hyperfine", "--version"], capture_output=True, text=True).stdout.strip()
    return f"# `perfproof ab` beside {version}"


if __name__ == "__main__":
    main()
