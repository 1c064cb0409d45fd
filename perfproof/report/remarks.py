"""What is said below a row, at most two lines that matter; everything else is a note, which `--notes` shows."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from perfproof.core.documents import RatioResult, Run, TargetResult, Warning
from perfproof.core.explanations import CODES
from perfproof.core.warning_kinds import kind_of
from perfproof.report import rows
from perfproof.report.heading import BUSY, is_busy
from perfproof.report.labels import variant_of
from perfproof.report.rows import Row, folder_of, machine_warnings, one_line, target_rows
from perfproof.report.undecided import needs_text

MOST_SHOWN = 2
NOTHING_COMPARED = "nothing was compared"  # in W165, if both revisions are one
NAMED_TARGETS = 3  # a code on more targets than this is one line


@dataclass(frozen=True)
class Remarks:
    shown: tuple[str, ...]
    notes: tuple[str, ...]


def remarks_of(run: Run, target: TargetResult, row: Row, apart: Collection[str] = ()) -> Remarks:
    """The remarks on one row: those that name its variant. Codes `apart` are said elsewhere."""
    judged = target.ratios.get(row.variant)
    first = is_first(target, row)
    own = [said for said in warnings_of(target, row) if said.code not in apart]
    warned = [coded(said) for said in own if said.kind == "warning" and not _is_said(said, judged)]
    routine = [coded(said) for said in own if said.kind == "note"]
    if target.is_alone:
        return Remarks(tuple(warned[:MOST_SHOWN]), tuple(warned[MOST_SHOWN:] + routine))
    if judged is None:
        log = [f"log: {folder_of(run) / target.log}"] if target.log and target.status != "skipped" else []
        found = [*map(one_line, row.notes), *log]
        return Remarks(tuple(found), tuple(warned + routine))
    also = rows.also_notes(target, row.variant)
    same = [text for text in warned if NOTHING_COMPARED in text]  # before anything that a result would need
    ordered = [
        *same,
        needs_text(judged),
        rows.twin_text(judged),
        *(text for text in warned if text not in same),
        *rows.setup_notes(target, row.variant, baseline=first),
    ]
    ordered = [text for text in ordered if text]
    others = [
        *ordered[MOST_SHOWN:],
        *_unsaid(judged, {said.code for said in target.warnings}),
        *rows.light_notes(target, row.variant, judged),
        *rows.goodput_notes(target, row.variant),
        *(rows.rank_notes(target) + rows.not_run_notes(row.not_run) if first else []),
        *routine,
    ]
    return Remarks((*ordered[:MOST_SHOWN], *also), tuple(one_line(note) for note in others if note))


def warnings_of(target: TargetResult, row: Row) -> list[Warning]:
    """Those that name the row's variant; the first row of a target also has those on all of it."""
    owners = (row.variant, "") if is_first(target, row) else (row.variant,)
    return [said for said in target.warnings if variant_of(target, said.text) in owners]


def is_first(target: TargetResult, row: Row) -> bool:
    return not row.variant or row.variant == next(iter(target.ratios), "")


def coded(said: Warning) -> str:
    return f"{said.code} {one_line(said.text)}"


def common_codes(run: Run) -> set[str]:
    """Codes that so many targets have that one line says it for all."""
    found = Counter(code for target in run.targets for code in {said.code for said in target.warnings})
    return {code for code, number in found.items() if number > NAMED_TARGETS}


def warnings_for_all(run: Run) -> list[str]:
    """About the machine, or about many targets; a load is in the heading."""
    own = [(one["code"], one["text"]) for one in machine_warnings(run) if kind_of(one["code"]) == "warning"]
    lines = [f"{code} {one_line(text)}" for code, text in own if not (code == BUSY and is_busy(run))]
    return lines + [_for_many(run, code, "warning") for code in _common(run, "warning")]


def notes_of(run: Run) -> list[str]:
    """Everything that is not shown otherwise, a line each."""
    lines = [
        f"{one['code']} {one_line(one['text'])}" for one in machine_warnings(run) if kind_of(one["code"]) == "note"
    ]
    lines += [_for_many(run, code, "note") for code in _common(run, "note")]
    apart = common_codes(run)
    for target in run.targets:
        for row in target_rows(target):
            name = f"{row.label}: " if len(run.targets) > 1 or len(target.ratios) > 1 else ""
            lines += [f"{name}{note}" for note in remarks_of(run, target, row, apart).notes]
    return list(dict.fromkeys(lines))


def _common(run: Run, kind: str) -> list[str]:
    apart = common_codes(run)
    found = {said.code for target in run.targets for said in target.warnings if said.kind == kind}
    return sorted(found & apart)


def _for_many(run: Run, code: str, kind: str) -> str:
    names = [t.target for t in run.targets if any(said.code == code and said.kind == kind for said in t.warnings)]
    title = CODES[code].title if code in CODES else "a warning"
    return f"{code} {title}: {len(names)} targets: {', '.join(names)}"


def _is_said(said: Warning, judged: RatioResult | None) -> bool:
    """Does the sentence about the result say the same?"""
    if judged is None:
        return False
    if said.code == "W111":
        return judged.verdict == "unstable" and bool(judged.modes)
    return said.code == "W118" and judged.verdict == "indicative" and "--budget" in judged.note


def _unsaid(judged: RatioResult, codes: Collection[str]) -> list[str]:
    """What the sentence about the result leaves out."""
    in_sentence = judged.verdict == "indicative" or (judged.verdict == "unstable" and not judged.modes)
    return [
        rows.power_text(judged) if judged.verdict == "same" else "",
        "" if "W103" in codes else rows.carry_over_text(judged),
        "" if in_sentence else judged.note,
    ]
