"""Every CUDA attack and every honest look-alike on this machine's GPU: which check stopped it.

    python benchmarks/gpu_attacks.py [--save FILE]

Exits with 1 where an attack gains anything, or an honest pair is stopped.
"""

import argparse
import secrets
import sys
from pathlib import Path

from heading import heading

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair

FOLDER = Path(__file__).parent.parent / "tests" / "attacks" / "cuda"
GAIN = 1.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", type=Path, help="write the table here")
    parser.add_argument("--only", nargs="+", default=[], help="names of files, without .py")
    options = parser.parse_args()
    run_options = RunOptions(effort="quick", timeout=120.0)
    facts = read_facts("cuda")
    launches = Launches(worker_environment(run_options, facts), facts.device)
    rows, wrong = [], []
    try:
        for path in [*sorted(FOLDER.glob("*.py")), *sorted((FOLDER / "honest").glob("*.py"))]:
            if path.stem.startswith(("test_", "__")) or (options.only and path.stem not in options.only):
                continue
            row, fine = judged(path, run_options, facts, launches)
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
            if not fine:
                wrong.append(path.stem)
    finally:
        launches.close()
    text = "\n".join([*heading("cuda"), "", *table(rows), ""])
    print(text)
    if options.save:
        options.save.write_text(text)
    sys.exit(f"not as it should be: {', '.join(wrong)}" if wrong else 0)


def judged(path: Path, options: RunOptions, facts, launches: Launches) -> tuple[list[str], bool]:
    pair = read_pair(path, path.stem, "attacks")
    job = make_job(pair, {}, options, facts, secrets.token_hex(16), float("inf"))
    result, _, _ = run_target(job, launches, lambda *_, **__: None, timed=True)
    ratio = result.ratios["optimized"].ratio if "optimized" in result.ratios else None
    honest = path.parent.name == "honest"
    fine = result.status == "ok" if honest else (result.status != "ok" or (ratio or 0.0) < GAIN)
    outcome = result.reason or f"{result.verdict} {ratio:.3f}x" if ratio or result.reason else str(result.verdict)
    if not honest and result.status == "ok":
        outcome = f"{'gains nothing' if fine else 'GAINS'}: {outcome}"
    return ["honest" if honest else "attack", path.stem, result.status, outcome.replace("|", "/")], fine


def table(rows: list[list[str]]) -> list[str]:
    head = ["| kind | file | status | the check that stopped it, in its words |", "|---|---|---|---|"]
    return head + [f"| {' | '.join(row)} |" for row in rows]


if __name__ == "__main__":
    main()
