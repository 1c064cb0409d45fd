"""How often is an honest pair rejected or refused? Everyday pairs, written from the documented contract alone.

    python benchmarks/false_rejections.py                      all pairs of benchmarks/everyday, at quick effort
    python benchmarks/false_rejections.py --busy 2             the same beside two processes that never rest
    python benchmarks/false_rejections.py --only a0 b11        those whose names begin so
    python benchmarks/false_rejections.py --effort standard    with full verdicts

The pairs need: pip install pandas polars scikit-learn joblib orjson ml_dtypes pyarrow scipy numba. One whose packages
are missing is skipped and counted as such. A result is appended to --log, a JSON line each; pairs that are in the log
already are not run again. Exits with 1 if more than 2 % are rejected, refused, failed, crashed or out of time.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

from aa_rate import busy
from heading import heading

from perfproof.bench.run import Planned, run_targets
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

FOLDER = Path(__file__).parent / "everyday"
MOST = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="beginnings of names")
    parser.add_argument("--effort", choices=("quick", "standard"), default="quick")
    parser.add_argument("--busy", type=int, default=0, help="processes that never rest beside the pairs")
    parser.add_argument("--log", type=Path, default=Path("false_rejections.jsonl"))
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    with busy(options.busy):
        run_all(options)
    found = logged(options.log)
    text = "\n".join([*heading(), "", *table(found), ""])
    print(text)
    if options.save:
        options.save.write_text(text)
    wrong = [one for one in found if one["status"] not in ("ok", "skipped")]
    sys.exit(len(wrong) > MOST * sum(one["status"] != "skipped" for one in found))


def run_all(options: argparse.Namespace) -> None:
    facts, done = read_facts("cpu"), {one["pair"] for one in logged(options.log)}
    for path in sorted(FOLDER.glob("[a-z][0-9][0-9]_*.py")):
        if path.stem in done or not path.stem.startswith(tuple(options.only)):
            continue
        started = time.monotonic()
        one = {"pair": path.stem, **outcome(path, options.effort, facts), "seconds": 0.0}
        one["seconds"] = round(time.monotonic() - started, 1)
        with options.log.open("a") as file:
            file.write(json.dumps(one) + "\n")
        print(f"{time.strftime('%H:%M:%S')} {one}", file=sys.stderr, flush=True)


def outcome(path: Path, effort: str, facts) -> dict:
    try:
        pair = read_pair(path.resolve(), path.stem, "everyday")
    except Exception as error:
        return {"status": "not read", "reason": str(error).partition(": ")[2] or str(error)}
    run_options = RunOptions(effort=effort, timeout=300.0)
    (finished,) = run_targets([Planned(pair, {})], run_options, facts, "5eed", lambda *_: None)
    result = finished.result
    return {"status": result.status, "verdict": result.verdict, "reason": result.reason}


def logged(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def table(found: list[dict]) -> list[str]:
    count = Counter(one["status"] for one in found)
    lines = ["| status | pairs |", "|---|---|", *(f"| {status} | {number} |" for status, number in count.most_common())]
    lines += ["", f"Median seconds of a pair: {median(one['seconds'] for one in found):.1f}.", ""]
    wrong = [one for one in found if one["status"] not in ("ok", "skipped")]
    return lines + [f"- {one['pair']}: {one['status']}, {one['reason']}" for one in wrong]


if __name__ == "__main__":
    main()
