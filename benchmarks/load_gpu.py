"""Sweep the load on a served model, and hold the what-if model against rates that it was not fitted to.

    python benchmarks/load_gpu.py [--shape NAME] [--points N] [--seconds-per-point S] [--dollars-per-hour D]
                                  [--serve=OPTION] [--save FILE] [--rows FILE] [--keep DIR]
    python benchmarks/load_gpu.py --tiny         a toy on the CPU: shows that the script works, judges nothing

It starts `perfproof serve` with random weights of the shape on the GPU, finds its capacity with a short closed loop,
and sends Poisson arrivals at 20 to 95 % of it with the client of `perfproof load`: prompts of 512 tokens, answers of
128. Every second point, from the first on, calibrates the simulator of `perfproof load whatif`: the time of a step, the
time outside of the engine, whether steps are planned ahead. It then predicts every point from its arrivals and lengths.

figures  of the steady window, which begins when the usual number is in flight, else of the whole point; * marks a
         percentile with fewer than ten samples beyond it. Dollars are those of `perfproof load --price`;
W, kWh   by the GPU's counter from the first arrival to the last answer, less its idle power around that time. Prompts
         are in it, the host is not.

`--rows` gets a line of JSON per point as soon as it is measured, and one per prediction at the end. `--keep` gets the
documents and requests of every point, and what the server said. Ctrl-C ends the sweep and shows what was measured.
"""

import argparse
import datetime
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from heading import heading

from perfproof.app.load.asked import Asked
from perfproof.app.load.done import Done
from perfproof.app.load.records import RESULT, shifted
from perfproof.app.load.run import run_load
from perfproof.app.what_if import (
    LONGER,
    MEASURED,
    MODEL,
    SHORTER,
    WHAT_IF,
    Settings,
    document_of,
    models_of,
    step_range,
)
from perfproof.core import child
from perfproof.core.errors import PerfproofError, UnfitError
from perfproof.core.load import Window
from perfproof.core.parent_death import end_with_parent
from perfproof.core.units import seconds
from perfproof.load.arrivals import Arrivals
from perfproof.load.measures import window_of
from perfproof.load.record import Record
from perfproof.load.step_fit import fit_steps
from perfproof.load.what_if import Engine, matched, simulate, sum_error
from perfproof.machine.energy import GpuEnergy
from perfproof.machine.gpus import read_gpus
from perfproof.report.load.what_if_text import model_lines
from perfproof.report.text import aligned

LOWEST, HIGHEST = 0.20, 0.95  # of the capacity
CROWD = 1.25  # users of the closed loop, as a multiple of what runs at once: the batch stays full
IDLE_SECONDS, PROBE_SECONDS, START_SECONDS, END_SECONDS = 1.5, 10.0, 240.0, 20.0
APART, CLOSE = 1.0, 0.10  # s between two points that are fitted as one test; an error that is small
MEASURES = (("TTFT", "p50"), ("TTFT", "p99"), ("TPOT", "p50"))
NEEDED = ("click", "jinja2", "pydantic", "scipy", "starlette", "typer", "uvicorn", "yaml")
TOY = {
    "model_type": "llama", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8,
    "num_key_value_heads": 4, "intermediate_size": 768, "vocab_size": 8000, "max_position_embeddings": 1024,
}  # fmt: skip


class Setup(NamedTuple):
    device: str = "cuda"
    prompt: int = 512  # tokens
    output: int = 128
    running: int = 64
    budget: int = 2048
    longest: int = 4096


class Point(NamedTuple):
    row: dict  # as it is saved
    window: Window
    good: list[Record]


def main() -> None:
    options = parse()
    setup = Setup("cpu", 64, 24, 8, 256, 512) if options.tiny else Setup()
    lines, points = [*heading(setup.device), ""], list[Point]()
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as unkept:
        folder = options.keep or Path(unkept)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with served(options.shape, setup, folder, options.serve) as url:
                for point in sweep(url, options, setup, folder):
                    points.append(point)
                    keep_row(options, point.row)
        except (KeyboardInterrupt, PerfproofError) as error:
            print(f"the sweep ended early: {str(error) or 'Ctrl-C'}", flush=True)
    shown = ["", *measured_table(points), "", *predictions([one for one in points if one.good], setup, options)]
    print("\n".join(shown), flush=True)
    if options.save:
        options.save.write_text("\n".join([*lines, *shown]) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", default="llama-3.1-8b", help="a shipped shape or a config.json")
    parser.add_argument("--points", type=int, default=7)
    parser.add_argument("--seconds-per-point", type=float, default=20.0, help="of arrivals")
    parser.add_argument("--dollars-per-hour", type=float, help="what the machine costs")
    for name in ("--save", "--rows", "--keep"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--serve", action="append", default=[], help="of the server, such as --serve=--no-graphs")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    options.shape = "toy" if options.tiny else options.shape
    if missing := ", ".join(name for name in NEEDED if importlib.util.find_spec(name) is None):
        sys.exit(f"packages that are needed and not here: {missing}")
    if not options.tiny and not read_gpus().found:
        sys.exit(f"no GPU here ({read_gpus().why_none}); --tiny shows on a CPU that the script works")
    return options


@contextmanager
def served(shape: str, setup: Setup, folder: Path, more: list[str]) -> Iterator[str]:
    """The address of the server, which ends with the block and with this process."""
    if shape == "toy":
        (folder / "toy.json").write_text(json.dumps(TOY))
        shape = str(folder / "toy.json")
    limits = {"max-running": setup.running, "token-budget": setup.budget, "max-length": setup.longest}
    how = {"model": shape, "device": setup.device, "port": 0, "queue": 1024, **limits}
    command = [
        sys.executable,
        "-m",
        "perfproof",
        "serve",
        "--random",
        *(f"--{name}={how[name]}" for name in how),
        *more,
    ]
    began, log = time.monotonic(), folder / "server.log"
    with log.open("w") as said:
        server = child.start(command, stdout=subprocess.PIPE, stderr=said, text=True, preexec_fn=end_with_parent)
    try:
        url, healthy = server.stdout.readline().strip().removesuffix("/v1"), False
        while not healthy:
            if server.poll() is not None or time.monotonic() - began > START_SECONDS:
                sys.exit(f"the server did not start: {child.last_line(log.read_text())}")
            with suppress(OSError, ValueError), urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
                healthy = answer.status == 200
            time.sleep(0.1)
        print(f"the server answers after {time.monotonic() - began:.0f} s", flush=True)
        yield url
    finally:
        server.terminate()
        child.end(server, END_SECONDS)


def sweep(url: str, options: argparse.Namespace, setup: Setup, folder: Path) -> Iterator[Point]:
    counter = GpuEnergy(0)
    before, _, after = counter.joules(), time.sleep(IDLE_SECONDS), counter.joules()
    idle = None if before is None or after is None else (after - before) / IDLE_SECONDS

    def tested(**how) -> tuple[Done, float | None]:
        """The test, and the mean power from its first arrival to its last answer."""
        how |= {"prompt_tokens": setup.prompt, "output_tokens": setup.output, "price": options.dollars_per_hour}
        asked = Asked(url, artifacts_dir=str(folder), **how)
        start = list[tuple[float, float | None]]()
        done = run_load(asked, lambda _: start.append((time.monotonic(), counter.joules())))  # said before it sends
        after, passed, before = counter.joules(), time.monotonic() - start[0][0], start[0][1]
        (done.folder / RESULT).write_text(done.result.model_dump_json(indent=1) + "\n")
        loaded, known = done.result.whole.end, None not in (idle, before, after)
        return done, (after - before - idle * (passed - loaded)) / loaded if known and loaded else None

    probed, _ = tested(users=round(CROWD * setup.running), seconds=PROBE_SECONDS)
    capacity = (probed.result.steady or probed.result.whole).output_tokens_per_second / setup.output
    if probed.result.interrupted or not capacity:
        raise UnfitError("nothing was answered, or Ctrl-C came, while the capacity was looked for")
    print(f"capacity: {capacity:.3g} requests/s, by {CROWD * setup.running:.0f} users in a closed loop", flush=True)
    for number in range(options.points):
        share = LOWEST + (HIGHEST - LOWEST) * number / max(1, options.points - 1)
        how = {"arrivals": Arrivals("poisson", (share * capacity,)), "seed": number + 1}
        done, watts = tested(seconds=options.seconds_per_point, **how)
        row, good = saved(done, watts, share, options), [one for one in done.records if one.outcome == "ok"]
        print(f"{share:4.0%}  {done.result.headline or '; '.join(row['failed'])}", flush=True)
        yield Point(row, done.result.steady or done.result.whole, good)
        if done.result.interrupted:
            raise KeyboardInterrupt


def figures(window: Window) -> dict[str, float]:
    found = {f"{name} {share}": window.figure(name) for name, share in MEASURES}
    times = {name: one.quantiles[name[-3:]].value for name, one in found.items() if one}
    return {"tokens/s": window.output_tokens_per_second, **times}


def saved(done: Done, watts: float | None, share: float, options: argparse.Namespace) -> dict:
    result, window = done.result, done.result.steady or done.result.whole
    tokens, cost = result.whole.output_tokens_per_second, result.cost
    return {
        "kind": "measured", "shape": options.shape, "rate": result.asked_rate, "share": share, **figures(window),
        "few": [f"{n} {q}" for n, q in MEASURES if (one := window.figure(n)) and one.quantiles[q].few],
        "window": [window.start, window.end], "steady": result.steady is not None, "in_flight": window.mean_in_flight,
        "requests": len(done.records), "outcomes": result.whole.outcomes, "watts": watts,
        "kwh_per_million": watts / tokens / 3.6 if watts and tokens else None,
        "dollars_per_million": cost and cost.dollars_per_million_output_tokens,
        "checks": {one.name: one.result for one in result.checks}, "interrupted": result.interrupted,
        "failed": [f"{one.name} failed: {one.detail}" for one in result.checks if one.result == "fail"],
        "machine": "CPU" if options.tiny else f"one {read_gpus().found[0].details['name']}",
        "date": str(datetime.date.today()), "folder": done.folder.name,
    }  # fmt: skip


def keep_row(options: argparse.Namespace, row: dict) -> None:
    if options.rows:
        with options.rows.open("a") as file:
            file.write(json.dumps(row) + "\n")


def measured_table(points: list[Point]) -> list[str]:
    lines = [("rate, 1/s", "of capacity", "requests", "W", "kWh/M tokens", "$/M tokens", "failed", "not run")]
    for row in (one.row for one in points):
        numbers = [row[name] for name in ("watts", "kwh_per_million", "dollars_per_million")]
        checks = [[name for name, found in row["checks"].items() if found == word] for word in ("fail", "not-run")]
        cells = ["–" if one is None else f"{one:.3g}" for one in (row["rate"], *numbers)]
        cells += [", ".join(names) or "–" for names in checks]
        lines.append((cells[0], f"{row['share']:.0%}", str(row["requests"]), *cells[1:]))
    return aligned(lines, range(6))


def predictions(points: list[Point], setup: Setup, options: argparse.Namespace) -> list[str]:
    together, start = list[Record](), 0.0
    for point in points[::2]:
        together += [shifted(one, start) for one in point.good]
        start = max(one.end for one in together) + APART
    try:
        fit = fit_steps(together, setup.budget)
        engine = matched(together, fit.model, Engine(setup.running, setup.budget))
        off = sum_error(together, fit.model, engine)
    except PerfproofError as error:
        return [f"no predictions: {error}"]
    sides = dict.fromkeys((MEASURED, MODEL, WHAT_IF, SHORTER, LONGER), together)
    said = model_lines(document_of(Path("the fitted rates"), fit, engine, Settings(), sides, sum_error=off))
    lines = [("rate, 1/s", "", "figure", "measured", "predicted", "error", "range")]
    held_out, inside = dict[str, list[float]](), dict[str, int]()
    for number, point in enumerate(points):
        rate, use = point.row["rate"], "held out" if number % 2 else "fitted"
        first = min(one.intended for one in point.good)  # where the simulation begins
        said_of = {
            name: figures(
                window_of(simulate(point.good, model, engine), point.window.start - first, point.window.end - first)
            )
            for name, model in models_of(fit, step_range(off)).items()
        }
        predicted = said_of[WHAT_IF]
        arrived = len(point.good) / (max(one.intended for one in point.good) - first)
        row = {"kind": "predicted", "rate": rate, "arrived": arrived, "use": use, **predicted}
        keep_row(options, row | {end: said_of[end] for end in (SHORTER, LONGER) if end in said_of})
        for name, value in figures(point.window).items():
            error = predicted[name] / value - 1
            shown = [f"{one:.4g}" if name == "tokens/s" else seconds(one) for one in (value, predicted[name])]
            shown[0] += "*" if name in point.row["few"] else ""
            low, *_, high = sorted([one[name] for one in said_of.values()] + [predicted[name]])
            ends = " to ".join(f"{one:.4g}" if name == "tokens/s" else seconds(one) for one in (low, high))
            lines.append((f"{rate:.3g}", use, name, *shown, f"{error:+.1%}", ends))
            held_out.setdefault(name, []).extend([abs(error)] * (number % 2))
            inside[name] = inside.get(name, 0) + (number % 2 and low <= value <= high)
    shown = [*said, "", *aligned(lines, (0, 3, 4, 5, 6)), ""]
    for name, found in held_out.items():
        near = f"{sum(error <= CLOSE for error in found)} of {len(found)} within {CLOSE:.0%}"
        worst = f"the worst {max(found, default=0):.1%} off"
        shown.append(f"held out, {name}: {near}, {worst}; {inside[name]} of {len(found)} inside the range")
    return shown


if __name__ == "__main__":
    main()
