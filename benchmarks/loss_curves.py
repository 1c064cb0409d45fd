"""Does a faster training step train as well? Loss curves of both sides of every training pair, from the same seeds.

    python benchmarks/loss_curves.py                                  all training pairs of chapters and labs
    python benchmarks/loss_curves.py --only ch13_pytorch/autocast     those that begin so, below chapters/ or labs/
    python benchmarks/loss_curves.py --device cuda --write            on a GPU; write the rows into the chapters' pages

A training pair declares `loss_curve(side, steps)`: the losses of so many steps of a small task, trained with that side.
The baseline's curves of all seeds make a band. The variant's curve of every seed must stay inside it. Before that, the
band is tried: a curve that does not learn, and one that learns half as fast, must leave it. Exits with 1 if one fails.
"""

import argparse
import datetime
import importlib.util
import json
import math
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- loss-curves:begin -->", "<!-- loss-curves:end -->"
TITLES = (
    "pair",
    "seeds",
    "steps",
    "baseline's last loss",
    "variant's last loss",
    "largest difference",
    "gate",
    "where",
)
SEEDS, STEPS = (1, 2, 3, 4, 5), 300
LEAST_SEEDS, WINDOWS = 3, 10
WIDENED = 0.5  # of the band's width, on either side: a few seeds do not show the whole spread
LEARNS = 0.7  # of the first window's loss: above that, the baseline has learned too little to judge by

Curve = Sequence[float]


@dataclass(frozen=True)
class Verdict:
    result: str  # "pass", "fail" or "not-run"
    detail: str = ""
    baseline: str = ""  # the last window: least and largest over the seeds
    variant: str = ""
    difference: float | None = None  # the largest of any window between the two curves of a seed, relative


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="beginning of a pair's path below chapters/ or labs/")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--write", action="store_true", help="write the rows into the pages of the chapters")
    options = parser.parse_args()
    failed = False
    for page, paths in training_pairs(options.only).items():
        verdicts = {path.stem: judged_pair(path, options.device) for path in paths}
        for name, verdict in verdicts.items():
            print(f"{page.parent.name}/{name}: {verdict.result} {verdict.detail}".rstrip())
            failed |= verdict.result == "fail"
        rows = {name: row(name, verdict, options.device) for name, verdict in verdicts.items()}
        print("\n".join(table(rows)))
        if options.write:
            page.write_text(placed(page.read_text(), rows))
    sys.exit(failed)


def training_pairs(beginning: str) -> dict[Path, list[Path]]:
    """Page of a chapter or lab -> its pairs that declare a loss curve."""
    found: dict[Path, list[Path]] = {}
    for path in [*sorted(ROOT.glob("chapters/ch*/*.py")), *sorted(ROOT.glob("labs/*/*.py"))]:
        if "\ndef loss_curve(" in path.read_text() and f"{path.parent.name}/{path.stem}".startswith(beginning):
            found.setdefault(path.with_name("README.md"), []).append(path)
    return found


def judged_pair(path: Path, device: str) -> Verdict:
    pair = load(path)
    if hasattr(pair, "needs") and device == "cpu":
        return Verdict("not-run", "needs a GPU")
    if hasattr(pair, "ranks") and device != "cpu" and torch.cuda.device_count() < pair.ranks:
        return Verdict("not-run", f"needs {pair.ranks} GPUs")
    curves = {side: [curve(path, side, seed, STEPS, device) for seed in SEEDS] for side in ("baseline", "optimized")}
    return judged(curves["baseline"], curves["optimized"])


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # a pair may import from its folder
    spec.loader.exec_module(module)
    return module


def curve(path: Path, side: str, seed: int, steps: int, device: str) -> list[float]:
    """The losses of a side from this seed; on as many ranks as the pair declares."""
    ranks = getattr(load(path), "ranks", 1)
    if ranks == 1:
        return train(path, side, seed, steps, device)
    with tempfile.TemporaryDirectory() as folder:
        arguments = (ranks, str(path), side, seed, steps, device, folder)
        multiprocessing.spawn(train_on_rank, arguments, nprocs=ranks)
        return json.loads((Path(folder) / "losses").read_text())


def train(path: Path, side: str, seed: int, steps: int, device: str) -> list[float]:
    torch.manual_seed(seed)
    with torch.device(device):
        return [float(loss) for loss in load(path).loss_curve(side, steps)]


def train_on_rank(rank: int, ranks: int, path: str, side: str, seed: int, steps: int, device: str, folder: str) -> None:
    torch.set_num_threads(1)
    if device != "cpu":
        torch.cuda.set_device(rank)
        device = f"cuda:{rank}"
    backend = "gloo" if device == "cpu" else "nccl"
    dist.init_process_group(backend, init_method=f"file://{folder}/meeting", rank=rank, world_size=ranks)
    losses = train(Path(path), side, seed, steps, device)
    if rank == 0:
        (Path(folder) / "losses").write_text(json.dumps(losses))
    dist.destroy_process_group()


def judged(baseline: Sequence[Curve], variant: Sequence[Curve]) -> Verdict:
    """Is the variant's curve of each seed inside the band that the baseline's curves make?"""
    if len(baseline) != len(variant) or len(baseline) < LEAST_SEEDS:
        return Verdict(
            "not-run", f"{len(baseline)} and {len(variant)} seeds; at least {LEAST_SEEDS} equal ones are needed"
        )
    ours, theirs = [windows(one) for one in variant], [windows(one) for one in baseline]
    if not all(math.isfinite(loss) for one in theirs for loss in one):
        return Verdict("not-run", "the baseline's losses are not finite")
    limits = band(theirs)
    if weakness := weak(baseline, limits):
        return Verdict("not-run", weakness)
    problems = [f"seed {at + 1}: {problem}" for at, one in enumerate(ours) if (problem := outside(one, limits))]
    ranges = [f"{min(one[-1] for one in side):.4g} to {max(one[-1] for one in side):.4g}" for side in (theirs, ours)]
    difference = max(
        abs(a / b - 1) for one, own in zip(ours, theirs, strict=True) for a, b in zip(one, own, strict=True)
    )
    return Verdict("fail" if problems else "pass", "; ".join(problems), *ranges, difference)


def windows(losses: Curve) -> list[float]:
    """Means over equal parts of the curve: one batch says little."""
    length = len(losses) // WINDOWS
    return [math.fsum(losses[at * length : (at + 1) * length]) / length for at in range(WINDOWS)]


def band(curves: Sequence[Curve]) -> list[tuple[float, float]]:
    """Least and largest loss per window, widened on both sides."""
    found = []
    for losses in zip(*curves, strict=True):
        more = WIDENED * (max(losses) - min(losses))
        found.append((min(losses) - more, max(losses) + more))
    return found


def outside(curve: Curve, limits: Sequence[tuple[float, float]]) -> str:
    """The first window in which the curve leaves the band, or nothing."""
    for number, (loss, (low, high)) in enumerate(zip(curve, limits, strict=True), start=1):
        if not low <= loss <= high:
            return f"loss {loss:.4g} in part {number} of {WINDOWS}, the band is {low:.4g} to {high:.4g}"
    return ""


def weak(baseline: Sequence[Curve], limits: Sequence[tuple[float, float]]) -> str:
    """Why the band proves nothing: the baseline does not learn, or a curve that learns too little stays inside."""
    for losses in baseline:
        first, *_, last = windows(losses)
        if not last < LEARNS * first:
            return f"the baseline does not learn: its loss goes from {first:.4g} to {last:.4g}"
        slower = [losses[at // 2] for at in range(len(losses))]
        for what, wrong in (("that does not learn", [losses[0]] * len(losses)), ("that learns half as fast", slower)):
            if not outside(windows(wrong), limits):
                return f"the band is too wide: a curve {what} stays inside; use more seeds or steps"
    return ""


def row(name: str, verdict: Verdict, device: str) -> str:
    where = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    gate = f"not run: {verdict.detail}" if verdict.result == "not-run" else verdict.result
    difference = "–" if verdict.difference is None else f"{verdict.difference:.2g}"
    counts = ("–", "–") if verdict.result == "not-run" else (str(len(SEEDS)), str(STEPS))
    date = "–" if verdict.result == "not-run" else f"{where}, torch {torch.__version__}, {datetime.date.today()}"
    cells = (f"`{name}`", *counts, verdict.baseline or "–", verdict.variant or "–", difference, gate, date)
    return f"| {' | '.join(cells)} |"


def table(rows: dict[str, str]) -> list[str]:
    return [f"| {' | '.join(TITLES)} |", "|---|---:|---:|---|---|---:|---|---|", *(rows[name] for name in sorted(rows))]


def placed(page: str, rows: dict[str, str]) -> str:
    """The page with these rows between its marks. A pair that was not run here keeps the row that it has."""
    head, found, rest = page.partition(BEGIN)
    inside, ended, tail = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"write one line {BEGIN} and below it one line {END} where the table goes")
    known = {line.split("`")[1]: line for line in inside.splitlines() if line.startswith("| `")}
    kept = {name: line for name, line in known.items() if name not in rows or "| not run" in rows[name]}
    return "\n".join([f"{head}{BEGIN}", *table(rows | kept), f"{END}{tail}"])


if __name__ == "__main__":
    main()
