"""One target as the HTML report shows it: words, figures and tables, ready for the template."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.calc.prediction import prediction_of
from perfproof.core import units
from perfproof.core.documents import Check, RatioResult, TargetResult, Warning
from perfproof.core.explanations import CODES
from perfproof.core.warning_kinds import Kind, kind_of
from perfproof.report.figures.bars import INTERVAL, interval_mark
from perfproof.report.figures.scale import Scale
from perfproof.report.html import figures as html_figures
from perfproof.report.html import tables as html_tables
from perfproof.report.html.figures import Detail, Figure
from perfproof.report.html.outputs import printed_diff
from perfproof.report.html.pictures import value_words
from perfproof.report.html.samples import Samples, read_samples
from perfproof.report.html.source import DiffLine, SourceDiff, source_diff
from perfproof.report.html.tables import Table
from perfproof.report.html.tones import tone_of
from perfproof.report.judged_quantity import name_of
from perfproof.report.labels import variant_of
from perfproof.report.rows import Row, target_rows
from perfproof.report.sentences import conclusion, loss_of

RUNGS = {  # how the two sides were alternated; older documents name ways that are gone
    "corrected": "sides alternate inside a process, less what switching does",
    "in-turn-corrected": "processes of their own, in turn, less what switching does",
    "plain": "sides alternate inside a process",
    "stay": "samples that follow their own side",
    "in-turn": "processes of their own, in turn",
    "in turn": "processes of their own, in turn",
    "alone": "processes of their own",
    "programs": "whole programs in turn",
    "lead-in": "sides alternate inside a process, with a lead-in",
    "10 ms": "sides alternate inside a process, in samples of 10 ms",
    "50 ms": "sides alternate inside a process, in samples of 50 ms",
}
MOST_LOG = 6000  # characters of a target's output


@dataclass(frozen=True)
class Line:
    """A variant of the target: its verdict and what has to be said beside it."""

    row: Row
    tone: str
    sign: str
    mark: str  # SVG: the interval on the axis of the summary
    predicted: str = ""  # "1.67x bytes": by the pair's own count
    sentence: str = ""  # the result as a person would say it
    loss: str = ""  # "1.19x slower", which a ratio of 0.84x is
    quantity: str = ""  # "CPU time"; empty if plain time was judged
    warnings: tuple[tuple[Warning, str], ...] = ()  # those that name it among several, with the title of the code


@dataclass(frozen=True)
class TargetView:
    ident: str
    result: TargetResult
    lines: list[Line]
    facts: list[tuple[str, str]]
    figures: list[Figure]
    no_samples: str  # why there are no figures of samples
    tables: list[Table]
    diffs: list[tuple[str, SourceDiff]]
    checks: dict[str, list[Check]]  # by result: fail, not-run, pass
    warnings: list[tuple[Warning, str]]  # with the title of the code
    notes: list[tuple[Warning, str]]  # the same of what only says how it was measured
    program: list[tuple[str, str]]
    printed: tuple[DiffLine, ...]  # what the two programs print, if it differs
    log: str


NO_SOURCES = SourceDiff(why="this page reads the run's folder only; `perfproof report run` shows the source")


def target_view(
    ident: str, result: TargetResult, folder: Path | None, axis: Scale, detail: Detail, sources: bool = True
) -> TargetView:
    """Numbers of a target that is not `ok` are not shown: no time stands beside a wrong answer.

    Without `sources` the pair's file, which lies outside the run's folder, is not opened.
    """
    variants = [] if result.program else list(result.ratios)
    measured = result.status == "ok" and bool(result.variants)
    samples = read_samples(folder, result) if measured else Samples()
    return TargetView(
        ident=ident,
        result=result,
        lines=[_line(result, row, axis) for row in target_rows(result)],
        facts=_facts(result),
        figures=_figures(ident, result, samples, detail) if measured else [],
        no_samples=samples.why,
        tables=_tables(result) if measured else [],
        diffs=[(variant, source_diff(result, variant) if sources else NO_SOURCES) for variant in variants],
        checks={
            kind: [check for check in result.checks if check.result == kind] for kind in ("fail", "not-run", "pass")
        },
        warnings=[one for one in _of_kind(result, "warning") if not _is_of_one(result, one[0])],
        notes=_of_kind(result, "note"),
        program=_program(result.program),
        printed=printed_diff(result, folder),
        log=result.output_tail[-MOST_LOG:],
    )


def _figures(ident: str, result: TargetResult, samples: Samples, detail: Detail) -> list[Figure]:
    readings = samples.judged(result)
    figures = [
        html_figures.times_figure(ident, result, readings),
        *html_figures.forests(ident, result, samples),
        html_figures.light_figure(ident, result),
        html_figures.spread_figure(ident, result, readings, detail.boxes),
        html_figures.order_figure(ident, result, readings, detail.points),
    ]
    return [figure for figure in figures if figure]


def _tables(result: TargetResult) -> list[Table]:
    tables = [
        html_tables.times_table(result),
        html_tables.resources_table(result),
        html_tables.kernels_table(result),
        html_tables.kernel_resources_table(result),
        html_tables.sanitizers_table(result),
        html_tables.ranks_table(result),
        html_tables.telemetry_table(result),
    ]
    return [table for table in tables if table]


def _of_kind(result: TargetResult, kind: Kind) -> list[tuple[Warning, str]]:
    own = [said for said in result.warnings if kind_of(said.code) == kind]
    return [(said, CODES[said.code].title if said.code in CODES else "") for said in own]


def _is_of_one(result: TargetResult, said: Warning) -> bool:
    """Does it name one of several variants? Then it stands below that one's verdict."""
    return len(result.ratios) > 1 and bool(variant_of(result, said.text))


def _line(result: TargetResult, row: Row, axis: Scale) -> Line:
    tone, sign = tone_of(row.word)
    judged = result.ratios.get(row.variant) if result.status == "ok" else None
    mark = ""
    if judged is not None and judged.ratio is not None and judged.ratio > 0:
        mark = interval_mark(axis, judged.ratio, judged.low, judged.high, tone)
    found = prediction_of(result, row.variant) if judged is not None and judged.claim == "time" else None
    said = conclusion(result, row.variant) if judged is not None else ""
    own = [one for one in _of_kind(result, "warning") if _is_of_one(result, one[0])]
    return Line(
        row,
        tone,
        sign,
        mark,
        predicted=found.words if found else "",
        sentence=said,
        loss=loss_of(judged) if judged is not None else "",
        quantity=name_of(judged) if judged is not None else "",
        warnings=tuple(one for one in own if variant_of(result, one[0].text) == row.variant),
    )


def ratio_axis(results: list[TargetResult]) -> Scale:
    """One logarithmic axis for all ratios of a run, with 1x on it."""
    judged = [one for result in results for one in result.ratios.values() if one.ratio is not None and one.ratio > 0]
    ends = [1.0, *(end for one in judged for end in (one.low, one.ratio, one.high) if end and end > 0)]
    room = max((max(ends) / min(ends)) ** 0.05, 1.005)
    return Scale(min(ends) / room, max(ends) * room, 3.0, INTERVAL[0] - 3.0, log=True)


def _facts(result: TargetResult) -> list[tuple[str, str]]:
    """What was measured, how much of it, and on what."""
    first = next(iter(result.ratios.values()), None)
    facts = [
        ("file", result.path),
        ("device", result.device),
        ("sizes", ", ".join(f"{name}={value_words(value)}" for name, value in result.sizes.items())),
        ("baseline tier", result.tier),
        ("measured", _measured(first) if first else ""),
        ("typical call", _typical(first) if first else ""),
        ("smallest effect", _smallest(first) if first else ""),
        ("arguments", _pool(result.pool)),
        ("declared work", ", ".join(f"{name} {value:.4g}" for name, value in result.cost.items())),
        ("took", units.seconds(result.seconds) if result.seconds else ""),
    ]
    return [(name, text) for name, text in facts if text]


def _measured(judged: RatioResult) -> str:
    unit = "block of runs" if judged.rung == "programs" else "launch"
    many = "blocks of runs" if judged.rung == "programs" else "launches"
    parts = [f"{judged.claim} by the {judged.clock} clock" if judged.claim == "time" else judged.claim]
    units_of = f"{judged.launches} {unit if judged.launches == 1 else many}"
    parts.append(f"{units_of}, {judged.processes} processes, {judged.quads:,} quads of samples")
    parts.append(f"{RUNGS.get(judged.rung, judged.rung)}, {100 * judged.level:.3g} % interval")
    if judged.invalid_quads:
        parts.append(f"{judged.invalid_quads} quads left out as disturbed")
    if judged.twin is not None:
        parts.append(f"the baseline against its own twin: {100 * judged.twin:+.2f} %")
    return "; ".join(parts)


def _typical(judged: RatioResult) -> str:
    if judged.typical is None:
        return ""
    ends = [units.ratio(end).rstrip("x") for end in (judged.typical_low, judged.typical_high) if end is not None]
    interval = f" [{', '.join(ends)}]" if ends else ""
    return f"{units.ratio(judged.typical)}{interval}, the median of neighbouring samples"


def _smallest(judged: RatioResult) -> str:
    found = judged.smallest_effect
    return f"{units.percent(found)} would have been found in 9 of 10 runs" if found is not None else ""


def _pool(pool: Mapping[str, Any]) -> str:
    if not isinstance(pool.get("bytes"), int | float):
        return ""
    sets = f"{pool.get('sets', '–')} sets of {units.binary_bytes(pool['bytes'])} in all"
    return "; ".join(filter(None, [sets, pool.get("renewal", "")]))


def _program(program: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Whole programs: what was run; everything else that the document says as JSON."""
    rows = []
    for name, value in program.items():
        if isinstance(value, Mapping) and isinstance(value.get("command"), list):
            rows.append((name, shlex.join(str(word) for word in value["command"])))
            rows += [(f"{name}, {key}", _plain(value[key])) for key in ("cwd", "variables") if value.get(key)]
        elif value is not None:
            rows.append((name, _plain(value)))
    return rows


def _plain(value: Any) -> str:
    """Short lists and tables of words in words, anything else as JSON."""
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping) and value:
        return "; ".join(f"{name}: {_plain(one)}" for name, one in value.items())
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
