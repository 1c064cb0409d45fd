"""On a GPU: how often are two equal kernels called different, and how small a slow-down is found?

    python benchmarks/gpu_aa.py aa          40 twin comparisons of a 30 µs kernel, 20 of a 0.5 ms one
    python benchmarks/gpu_aa.py injected    20 comparisons with 0.5 % more elements
    python benchmarks/gpu_aa.py components  launch, fork and slot components: 8 launches of 5 couples; two contexts
    python benchmarks/gpu_aa.py table       the tables of aa and injected, from the log

Comparisons are appended to --log, a JSON line each, so that a run can be cut in parts (--seconds stops it in time).
`triton.testing.do_bench` of A and then of B stands beside: different where its 20 % to 80 % ranges do not overlap.
"""

import argparse
import contextlib
import json
import math
import secrets
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median, stdev

from heading import heading

from perfproof.bench.comparison.couples import measure
from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.job import PLAIN, Job
from perfproof.bench.launches import Launches
from perfproof.bench.preparation import make_ready, open_worker
from perfproof.bench.record import ProcessRecord
from perfproof.bench.run import make_job, worker_environment
from perfproof.bench.sampling import ask_samples, choose_priming
from perfproof.core.options import EFFORTS, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from perfproof.stats.quads import BASELINE

BODIES = Path(__file__).parent / "bodies"
SHORT, LONG = 14 << 20, 256 << 20
WANTED = {
    "aa": [("gpu_twin", {"elements": SHORT}, 40), ("gpu_twin", {"elements": LONG}, 20)],
    "injected": [("gpu_elements", {"elements": SHORT, "extra": 5}, 20)],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("aa", "injected", "components", "table"))
    parser.add_argument("--log", type=Path, default=Path("gpu_aa.jsonl"))
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no comparison after so many")
    parser.add_argument("--save", type=Path, help="write the table here")
    options = parser.parse_args()
    lines = table(logged(options.log)) if options.what == "table" else measured(options)
    text = "\n".join([*heading("cuda" if options.what != "table" else "cpu"), "", *lines, ""])
    print(text)
    if options.save:
        options.save.write_text(text)


def measured(options: argparse.Namespace) -> list[str]:
    facts = read_facts("cuda")
    launches = Launches(worker_environment(RunOptions(), facts), facts.device)
    try:
        launches.start(15)  # the pool's start is not part of a comparison
        if options.what == "components":
            return components(launches, facts)
        compare_all(launches, facts, options)
    finally:
        launches.close()
    return table(logged(options.log))


def compare_all(launches: Launches, facts, options: argparse.Namespace) -> None:
    end = time.monotonic() + options.seconds
    for body, sizes, count in WANTED[options.what]:
        done = sum(one["body"] == body and one["sizes"] == sizes for one in logged(options.log))
        for number in range(done, count):
            if time.monotonic() > end:
                return
            one = compare(launches, facts, body, sizes)
            with options.log.open("a") as file:
                file.write(json.dumps(one) + "\n")
            print(f"{time.strftime('%H:%M:%S')} {number + 1}/{count} {one}", file=sys.stderr, flush=True)


def compare(launches: Launches, facts, body: str, sizes: dict) -> dict:
    job = job_for(facts, body, sizes)
    started = time.monotonic()
    found = measure(job, PLAIN, launches, lambda *_, **__: None)
    seconds = time.monotonic() - started
    ratio = verdict_of(found, "optimized")
    checks = [check for record in found.records for check in record.checks]
    return {
        "body": body,
        "sizes": sizes,
        "verdict": ratio.verdict,
        "ratio": [ratio.ratio, ratio.low, ratio.high],
        "rung": ratio.rung,
        "launches": ratio.launches,
        "seconds": round(seconds, 2),
        "call": median(record.call_seconds["baseline"] for record in found.records),
        "note": ratio.note,
        "primed": found.records[0].primed,
        "do_bench": do_bench_differs(body, sizes),
        "failed": [f"{check.name}: {check.detail}" for check in checks if check.result == "fail"],
    }


def do_bench_differs(body: str, sizes: dict) -> bool:
    import torch
    from triton.testing import do_bench

    module: dict = {}
    exec((BODIES / f"{body}.py").read_text(), module)
    with torch.device("cuda"):
        arguments = module["inputs"](**sizes)
    ranges = [do_bench(lambda: module[side](*arguments), quantiles=[0.2, 0.8]) for side in ("baseline", "optimized")]  # noqa: B023
    (low_a, high_a), (low_b, high_b) = ranges
    return bool(high_a < low_b or high_b < low_a)


def job_for(facts, body: str, sizes: dict) -> Job:
    pair = read_pair((BODIES / f"{body}.py").resolve(), body, "bodies")
    return make_job(pair, sizes, RunOptions(), facts, secrets.token_hex(16), time.monotonic() + 300)


def logged(log: Path) -> list[dict]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def table(found: list[dict]) -> list[str]:
    lines = [
        "| kernel | comparisons | faster or slower | same | inconclusive | unstable | do_bench: different "
        "| median effect | median half-width | median seconds | longest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for body, sizes, _ in [*WANTED["aa"], *WANTED["injected"]]:
        own = [one for one in found if one["body"] == body and one["sizes"] == sizes]
        if not own:
            continue
        count = Counter(one["verdict"] for one in own)
        effects = [100 * (1 / one["ratio"][0] - 1) for one in own if one["ratio"][0]]
        widths = [50 * (one["ratio"][2] - one["ratio"][1]) for one in own if one["ratio"][1]]
        what = f"{1e6 * median(one['call'] for one in own):.0f} µs, {sizes.get('extra', 0) / 10:g} % more elements"
        lines.append(
            f"| {what} | {len(own)} | {count['faster'] + count['slower']} | {count['same']} | {count['inconclusive']} "
            f"| {count['unstable']} | {sum(one['do_bench'] for one in own)} | {median(effects):+.3f} % "
            f"(from {min(effects):+.3f} to {max(effects):+.3f}) | {median(widths):.3f} % "
            f"| {median(one['seconds'] for one in own):.1f} | {max(one['seconds'] for one in own):.1f} |"
        )
    return lines


def components(launches: Launches, facts) -> list[str]:
    """Standard deviations, in per cent of time, of what launches, forks and slots add to a twin's log-ratio."""
    lines = [
        "| kernel | launches x couples | sd between launches | sd between couples of a launch | slot effect "
        "| standard error inside a process | two contexts: second idle | in turn | a switch costs |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for elements in (SHORT, LONG):
        job = job_for(facts, "gpu_twin", {"elements": elements})
        # The comparison ends with the first couple of its last launch: that one is not looked at.
        effort = replace(EFFORTS["standard"], launches=9, most_launches=9, couples=5, patience=math.inf)
        found = measure(replace(job, effort=effort), PLAIN, launches, lambda *_, **__: None)
        values = [value for value in found.values("optimized") if value.launch < 8]
        couples: dict[int, list[float]] = {}
        slots = []
        for plus in [value for value in values if value.slot == 1]:
            minus = next(v for v in values if (v.launch, v.couple, v.slot) == (plus.launch, plus.couple, -1))
            couples.setdefault(plus.launch, []).append((plus.value + minus.value) / 2)
            slots.append((plus.value - minus.value) / 2)
        inside = median(stdev(own) for own in couples.values())
        between = math.sqrt(max(0.0, stdev(sum(own) / len(own) for own in couples.values()) ** 2 - inside**2 / 5))
        errors = median(value.standard_error for value in values)
        alone = " | ".join(two_contexts(job, launches))
        lines.append(
            f"| {1e6 * found.records[0].call_seconds[BASELINE]:.0f} µs | 8 x 5 | {100 * between:.4f} % "
            f"| {100 * inside:.4f} % | {100 * sum(slots) / len(slots):+.4f} % | {100 * errors:.4f} % | {alone} |"
        )
    return lines


def two_contexts(job: Job, launches: Launches) -> list[str]:
    """The baseline's time with another process's context idle, and driven in turn with it, against alone."""
    with contextlib.ExitStack() as stack:
        workers, record = [], ProcessRecord(0, 0, 1)
        for _ in range(2):
            worker = open_worker(job, launches.get(0), [BASELINE], stack)
            make_ready(job, {BASELINE: worker}, job.rng("contexts"), record)
            choose_priming(record)
            workers.append(worker)
            if len(workers) == 1:
                alone = median(sampled(job, worker, record)[0] for _ in range(100))
        stays = [sampled(job, workers[0], record) for _ in range(100)]
        turns = [sampled(job, workers[number % 2], record) for number in range(200)]
    idle, turn = median(seconds for seconds, _ in stays), median(seconds for seconds, _ in turns)
    switch = median(wall for _, wall in turns) - median(wall for _, wall in stays)
    return [f"{100 * (idle / alone - 1):+.3f} %", f"{100 * (turn / alone - 1):+.3f} %", f"{1e6 * switch:+.0f} µs"]


def sampled(job: Job, worker, record: ProcessRecord) -> tuple[float, float]:
    calls = max(1, round(job.sample_seconds / record.call_seconds[BASELINE]))
    started = time.perf_counter()
    row = ask_samples(job, worker, [[BASELINE, calls, False]], primed=record.primed, warm=True)[0]
    return row[2], time.perf_counter() - started


if __name__ == "__main__":
    main()
