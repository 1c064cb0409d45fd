"""How often is an honest pair rejected or refused? Everyday pairs, written from the documented contract alone.

    python benchmarks/false_rejections.py                      all pairs of benchmarks/everyday, at quick effort
    python benchmarks/false_rejections.py --busy 2             the same beside two processes that never rest
    python benchmarks/false_rejections.py --only a0 b11        those whose names begin so
    python benchmarks/false_rejections.py --effort standard    with full verdicts
    python benchmarks/false_rejections.py --scripts            scripts of benchmarks/everyday_scripts, with `compare`
    python benchmarks/false_rejections.py --gpu                pairs of benchmarks/everyday_gpu, on a GPU

The pairs need: pip install pandas polars scikit-learn joblib orjson ml_dtypes pyarrow scipy numba. One whose packages
are missing is skipped and counted as such. A result is appended to --log, a JSON line each; pairs that are in the log
already are not run again. Exits with 1 if more than 2 % are rejected, refused, failed, crashed or out of time.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from aa_rate import busy
from heading import heading

from perfproof.bench.run import Planned, run_targets
from perfproof.core.options import RunOptions
from perfproof.core.units import seconds
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

FOLDER, GPU_FOLDER = Path(__file__).parent / "everyday", Path(__file__).parent / "everyday_gpu"
SCRIPTS = Path(__file__).parent / "everyday_scripts"
MOST = 0.02
AS_WRITTEN = (
    "d",
    "e",
    "f",
    "l",
    "g",
    "k",
    "clean",
    "rank",
)  # files with no more than a pair of the user's own needs: settings and seeds on top, prints, globals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="beginnings of names")
    parser.add_argument("--effort", choices=("quick", "standard"), default="quick")
    parser.add_argument("--scripts", action="store_true", help="scripts that call perfproof.compare, and two projects")
    parser.add_argument("--gpu", action="store_true", help="the pairs for a GPU, on one")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds per pair")
    parser.add_argument("--busy", type=int, default=0, help="processes that never rest beside the pairs")
    parser.add_argument("--log", type=Path, default=Path("false_rejections.jsonl"))
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    with busy(options.busy):
        run_all(options)
    found = logged(options.log)
    rows = gpu_table(found) if options.gpu else table(found)
    text = "\n".join([*heading("cuda" if options.gpu else "cpu"), "", *rows, ""])
    print(text)
    if options.save:
        options.save.write_text(text)
    wrong = [one for one in found if one["status"] not in ("ok", "skipped")]
    sys.exit(len(wrong) > MOST * sum(one["status"] != "skipped" for one in found))


def run_all(options: argparse.Namespace) -> None:
    facts, done = read_facts("cuda" if options.gpu else "cpu"), {one["pair"] for one in logged(options.log)}
    for path in paths(options):
        if path.stem in done or not path.stem.startswith(tuple(options.only)):
            continue
        started = time.monotonic()
        found = script_outcome(path) if path.stem.startswith("s") else outcome(path, options, facts)
        one = {"pair": path.stem, **found, "seconds": 0.0}
        one["seconds"] = round(time.monotonic() - started, 1)
        with options.log.open("a") as file:
            file.write(json.dumps(one) + "\n")
        print(f"{time.strftime('%H:%M:%S')} {one}", file=sys.stderr, flush=True)


def paths(options: argparse.Namespace) -> list[Path]:
    if options.scripts:
        return [*sorted(SCRIPTS.rglob("s[0-9][0-9]_*.py")), *sorted(SCRIPTS.rglob("*_pair.py"))]
    return sorted((GPU_FOLDER if options.gpu else FOLDER).glob("[a-z][0-9][0-9]_*.py"))


def script_outcome(path: Path) -> dict:
    """A script prints the status of its comparison last. Its run is saved in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, path.resolve()], cwd=folder, capture_output=True, text=True, check=False)
    lines = done.stdout.split("\n")[:-1]
    status = lines[-1] if done.returncode == 0 and lines else "crashed"
    return {"status": status, "verdict": None, "reason": "" if status == "ok" else (lines or [done.stderr[-300:]])[0]}


def outcome(path: Path, options: argparse.Namespace, facts) -> dict:
    try:
        pair = read_pair(path.resolve(), path.stem, "everyday", own=path.stem.startswith(AS_WRITTEN))
    except Exception as error:
        return {"status": "not read", "reason": str(error).partition(": ")[2] or str(error)}
    run_options = RunOptions(effort=options.effort, timeout=options.timeout)
    (finished,) = run_targets([Planned(pair, {})], run_options, facts, "5eed", lambda *_: None)
    result = finished.result
    found = {"status": result.status, "verdict": result.verdict, "reason": result.reason}
    if (ratio := result.ratios.get("optimized")) is not None:
        found |= {"ratio": [ratio.ratio, ratio.low, ratio.high], "times": [ratio.baseline, ratio.variant]}
        found |= {"launches": ratio.launches, "note": ratio.note}
    return found | {"spent": {what: round(seconds, 2) for what, seconds in result.spent.items()}}


def logged(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def table(found: list[dict]) -> list[str]:
    count = Counter(one["status"] for one in found)
    lines = ["| status | pairs |", "|---|---|", *(f"| {status} | {number} |" for status, number in count.most_common())]
    lines += ["", f"Median seconds of a pair: {median(one['seconds'] for one in found):.1f}.", ""]
    wrong = [one for one in found if one["status"] not in ("ok", "skipped")]
    return lines + [f"- {one['pair']}: {one['status']}, {one['reason']}" for one in wrong]


def gpu_table(found: list[dict]) -> list[str]:
    lines = [
        "| pair | status | ratio | baseline | variant | launches | seconds in all |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for one in found:
        said = one["verdict"] or f"{one['status']}: {one['reason']}".replace("|", "/")
        low, high = one["ratio"][1:] if "ratio" in one else (None, None)
        ratio = f"{one['ratio'][0]:.3f}x [{low:.3f}, {high:.3f}]" if low else ""
        times = [seconds(value) for value in one.get("times", (None, None))]
        lines.append(
            f"| {one['pair']} | {said} | {ratio} | {' | '.join(times)} | {one.get('launches', '')} | {one['seconds']} |"
        )
    return lines


if __name__ == "__main__":
    main()
