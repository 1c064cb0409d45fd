"""Many runs at a glance: the newest verdict of every target, and the runs with what each of them found."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core.documents import Run, TargetResult
from perfproof.core.natural_order import natural_order
from perfproof.core.ratio_figures import has_figures
from perfproof.history.index.rows import UNKNOWN, text
from perfproof.report.figures.bars import interval_mark
from perfproof.report.figures.scale import Scale
from perfproof.report.html.page import Count, counts_of
from perfproof.report.html.target import ratio_axis
from perfproof.report.html.tones import tone_of
from perfproof.report.rows import target_rows

MOST_TARGETS = 500


@dataclass(frozen=True)
class Latest:
    """The newest result of a variant on a kind of machine."""

    target: str
    series: dict[str, str]  # all that tells its trend from the others of this target, as the index writes it
    label: str
    word: str
    said: str  # the word with what did not run
    tone: str
    sign: str
    ratio: str
    mark: str  # SVG: the interval, on one axis for all
    note: str  # why there is no ratio
    kind: str
    run: str
    started: str


@dataclass(frozen=True)
class RunLine:
    run: str
    started: str
    kind: str
    state: str
    commit: str
    counts: list[Count]


@dataclass(frozen=True)
class Overview:
    counts: list[Count]  # of `latest`: losses and null results stand beside the gains
    latest: list[Latest]
    left_out: int  # of targets, where there are very many
    runs: list[RunLine]  # newest first


def overview(runs: Sequence[Run]) -> Overview:
    """`runs` are in the order of time, oldest first."""
    newest: dict[tuple[str, str], tuple[Run, TargetResult]] = {}
    for run in runs:
        for result in run.targets:
            newest[result.target, str(run.machine.get("kind", "unknown"))] = (run, result)
    chosen = [newest[key] for key in sorted(newest, key=lambda key: (natural_order(key[0]), key[1]))]
    axis = ratio_axis([result for _, result in chosen[:MOST_TARGETS]])
    latest = [line for run, result in chosen[:MOST_TARGETS] for line in _lines(run, result, axis)]
    return Overview(
        counts=counts_of([one.word for one in latest]),
        latest=latest,
        left_out=max(0, len(chosen) - MOST_TARGETS),
        runs=[_run_line(run) for run in reversed(runs)],
    )


def _lines(run: Run, result: TargetResult, axis: Scale) -> list[Latest]:
    found = []
    for row in target_rows(result):
        tone, sign = tone_of(row.word)
        judged = result.ratios.get(row.variant)
        mark = ""
        if judged is not None and judged.ratio is not None and judged.ratio > 0:
            mark = interval_mark(axis, judged.ratio, judged.low, judged.high, tone)
        found.append(
            Latest(
                target=result.target,
                series=_series(run, result, row.variant),
                label=row.label,
                word=row.word,
                said=row.said,
                tone=tone,
                sign=sign,
                ratio=row.ratio,
                mark=mark,
                note="; ".join(row.notes) if not row.ratio else "",
                kind=str(run.machine.get("kind", "unknown")),
                run=run.run,
                started=run.started,
            )
        )
    return found


def _series(run: Run, result: TargetResult, variant: str) -> dict[str, str]:
    judged = result.ratios.get(variant)
    if judged is None:
        return {}
    return {
        "variant": text(variant),
        "kind": text(run.machine.get("kind") or UNKNOWN),
        "sizes": json.dumps(result.sizes, sort_keys=True),
        "claim": judged.claim,
        "clock": judged.clock,
        "statistic": "mean" if judged.claim == "time" and has_figures(judged) else "median",
    }


def _run_line(run: Run) -> RunLine:
    words = [row.word for result in run.targets for row in target_rows(result)]
    return RunLine(
        run=run.run,
        started=run.started,
        kind=str(run.machine.get("kind", "unknown")),
        state=run.state,
        commit=str(run.git.get("commit") or "")[:8],
        counts=counts_of(words),
    )
