"""A sweep of a command as rows: the base first, then each point with its verdict and everything that was measured."""

import shlex
from statistics import median

from perfproof.core.documents import RatioResult, Run, TargetResult
from perfproof.core.other_work import is_other_work
from perfproof.core.ratio_figures import ratio_figures
from perfproof.report.rows import level_text, quantity, target_rows
from perfproof.report.sweep.points import base_of, points_of

SIDE = "b"


def command_table(run: Run) -> list[list[str]]:
    """Each point beside the base as it was measured with it; the base's own row has medians over all points."""
    sweep, base = run.options["sweep"], base_of(run)
    axes, judged = list(sweep["axes"]), sweep.get("judged", "wall")
    names = list(dict.fromkeys(name for target in run.targets for name in target.also))
    if run.targets and all(is_other_work(target) for target in run.targets):
        return _times(run, axes, judged, names)
    ratio = f"ratio [{level_text(run)} % interval]"
    table = [[*axes, "verdict", ratio, f"{judged} of base", judged, *names]]
    if any(target.ratios for target in run.targets):
        figures = [_base_figure(run, name) for name in (judged, *names)]
        table.append([*(str(base[axis]) for axis in axes), "base", "", figures[0], figures[0], *figures[1:]])
    for point, target in zip(points_of(run), run.targets, strict=True):
        (row,) = target_rows(target)
        figures = [_figure(target, target.also.get(name), 1) for name in names]
        cells = [row.word, "" if is_other_work(target) else row.ratio, row.baseline, row.measured, *figures]
        table.append([*(str(point[axis]) for axis in axes), *cells])
    return table


def _times(run: Run, axes: list[str], judged: str, names: list[str]) -> list[list[str]]:
    """What each size of the work takes, without a verdict."""
    base = base_of(run)
    table = [[*axes, judged, *names]]
    table.append([*(str(base[axis]) for axis in axes), *(_base_figure(run, name) for name in (judged, *names))])
    for point, target in zip(points_of(run), run.targets, strict=True):
        (row,) = target_rows(target)
        figures = [_figure(target, target.also.get(name), 1) for name in names]
        table.append([*(str(point[axis]) for axis in axes), row.measured, *figures])
    return table


def base_value(run: Run) -> float | None:
    """The judged quantity of the base: the median over the comparisons with every point."""
    found = [ratio_figures(target, SIDE)[0] for target in run.targets if SIDE in target.ratios]
    known = [value for value in found if value is not None]
    return median(known) if known else None


def after_command_sweep(run: Run, best: TargetResult) -> str:
    """The A/B that measures the best point once more, with the options of the sweep."""
    sweep, sides = run.options["sweep"], [best.program[side] for side in ("a", "b")]
    commands = list(dict.fromkeys(shlex.join(side["command"]) for side in sides))
    words = ["perfproof", "ab", *commands]
    for option, side in zip(("--env-a", "--env-b"), sides, strict=True):
        for name, value in side["variables"].items():
            words += [option, f"{name}={value}"]
    for option in ("cwd", "prepare"):
        words += [f"--{option}", sweep[option]] if sweep.get(option) else []
    for metric in sweep.get("metrics", ()):
        words += ["--metric", metric]
    words += ["--judge", sweep["judged"]] if sweep.get("judged", "wall") != "wall" else []
    words += ["--warmup", str(sweep["warmup"])] if sweep.get("warmup", 1) != 1 else []
    words += ["--ignore-exit"] if sweep.get("ignore_exit") else []
    return shlex.join(words)


def _base_figure(run: Run, name: str) -> str:
    found, like = [], None
    for target in run.targets:
        judged = target.also.get(name) or target.ratios.get(SIDE)
        if judged is None or (value := ratio_figures(target, SIDE, judged)[0]) is None:
            continue
        found.append(value)
        like = judged
    return quantity(median(found), like) if like is not None else "–"


def _figure(target: TargetResult, judged: RatioResult | None, side: int) -> str:
    return "" if judged is None else quantity(ratio_figures(target, SIDE, judged)[side], judged)
