"""A diagnosis as text for a terminal, and as Markdown for an issue or a review."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from perfproof.core import units
from perfproof.core.diagnosis import Diagnosis, Finding, Steps
from perfproof.core.profile_record import OTHERS_RAN
from perfproof.report.text import wrapped

WIDTH = 100
LEAST_WORK = 1e9  # operations of a step: fewer say nothing where no peak is known
SHOWN_OPERATORS = 3
LABELS = {"advice": "change", "experiment": "try", "refuted_by": "wrong if"}
OF_KERNELS = (
    "The following are shares of the time of the kernels that were counted, not of the step: no trace here holds these "
    "kernels."
)
GPU = re.compile(r"\bGPU|\bncu\b|\bDCGM\b")
NOTHING = "no bottleneck found by the rules that could look"


def render(diagnosis: Diagnosis, width: int = WIDTH, every_rule: bool = False) -> str:
    """Findings first, then what lowered them, then the rules that could not look: in a line if something was found."""
    lines = [line for opening in _opening(diagnosis) for line in _wrapped(opening, width)]
    lines.append("")
    for number, finding in enumerate(diagnosis.findings, 1):
        if number == first_of_kernels(diagnosis):
            lines += [*_wrapped(OF_KERNELS, width), ""]
        lines += [*_finding(number, finding, width), ""]
    lines += [] if diagnosis.findings else [NOTHING, ""]
    for one in diagnosis.downgraded:
        lines += _wrapped(f"lowered: {one.rule} from {one.was} to {one.now}, because of {one.by}: {one.reason}", width)
    if diagnosis.abstained and diagnosis.findings and not every_rule:
        lines += _wrapped(could_not_look(diagnosis), width)
    elif diagnosis.abstained:
        lines.append(f"could not look ({len(diagnosis.abstained)} rules), for want of:")
        for missing, rules in missing_inputs(diagnosis):
            lines += _wrapped(f"- {missing}: {', '.join(rules)}", width, "  ")
    nothing = found_nothing(diagnosis)
    if nothing and (every_rule or not diagnosis.findings):
        lines += _wrapped(f"looked and found nothing: {', '.join(nothing)}", width)
    lines += [line for note in closing_notes(diagnosis) for line in _wrapped(f"note: {note}", width)]
    return "\n".join(lines).rstrip() + "\n"


def could_not_look(diagnosis: Diagnosis) -> str:
    """One line for a diagnosis with findings: how many rules, and how many of them a GPU would let look."""
    every = len(diagnosis.abstained)
    gpu = sum(1 for one in diagnosis.abstained if GPU.search(one.missing))
    of_gpu = f" ({gpu} need a GPU's trace or counters)" if gpu else ""
    return f"{every} rule{'s' * (every != 1)} could not look{of_gpu}: --all lists what they need"


def found_nothing(diagnosis: Diagnosis) -> list[str]:
    """Without rules that found something too small to be listed, or listed elsewhere: a note says so."""
    noted = {note.partition(":")[0] for note in diagnosis.warnings}
    return [rule for rule in diagnosis.silent if rule not in noted]


def closing_notes(diagnosis: Diagnosis) -> list[str]:
    return [note for note in diagnosis.warnings if not note.startswith(OTHERS_RAN)]


def saving(finding: Finding) -> str:
    """What could go: `up to 35 % of the step`."""
    if finding.share is None:
        return "share unknown"
    whole = "the step" if finding.share_of == "step" else "the profiled kernels' time"
    if finding.share < 0.0005:
        return f"nothing of {whole} beyond what the others name"
    return f"up to {units.percent(finding.share, 0 if finding.share >= 0.1 else 1)} of {whole}"


def first_of_kernels(diagnosis: Diagnosis) -> int | None:
    """The number of the first finding whose share is not of the step, where others are."""
    places = [place for place, one in enumerate(diagnosis.findings, 1) if one.share_of != "step"]
    return places[0] if 0 < len(places) < len(diagnosis.findings) else None


def missing_inputs(diagnosis: Diagnosis) -> list[tuple[str, list[str]]]:
    """Each missing input with the rules that want it."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for one in diagnosis.abstained:
        wanted[one.missing].append(one.rule)
    return sorted(wanted.items(), key=lambda item: (-len(item[1]), item[0]))


def steps_line(steps: Steps) -> str:
    who = f"rank {steps.rank}: " if steps.rank is not None else ""
    start = f"; start-up {units.seconds(steps.startup_seconds)}, left out" if steps.startup_seconds else ""
    if not steps.found:
        return f"{who}{steps.source} ({units.seconds(steps.mean_seconds)}){start}"
    spared = ", the first and the last left out" if steps.used < steps.found and "repeat" not in steps.source else ""
    plural = "s" if steps.used > 1 else ""
    return f"{who}{steps.used} step{plural} of {units.seconds(steps.mean_seconds)} ({steps.source}{spared}){start}"


def work_lines(steps: Steps) -> list[str]:
    """The matrix products of a step: how many operations, which share of the peak, the largest of them."""
    work = steps.work
    if work is None or (work.mfu is None and work.flops < LEAST_WORK):
        return []
    mfu = f"MFU unknown: {work.basis}" if work.mfu is None else f"MFU {units.percent(work.mfu)} ({work.basis})"
    left = f"; not counted: {', '.join(work.uncounted)}" if work.uncounted else ""
    when = "per step" if steps.found else "in the whole trace"
    lines = [f"{work.flops / 1e9:.4g} GFLOP of matrix products {when}; {mfu}{left}"]
    for one in work.operators[:SHOWN_OPERATORS]:
        share = units.percent(one.flops / work.flops if work.flops else None)
        lines.append(f"  {share} of them: {one.name} {one.shapes} {one.dtype}, {one.calls:.4g} calls {when}")
    return lines


def _opening(diagnosis: Diagnosis) -> Iterator[str]:
    left_out = [Path(one.path).name for one in diagnosis.inputs if one.what.startswith("left out")]
    for one in diagnosis.inputs:
        if one.what.startswith("left out"):
            continue
        rank = f", rank {one.rank}" if one.rank is not None else ""
        yield f"{Path(one.path).name}: {one.what}{rank}"
    if left_out:
        yield f"left out, for they are no profiles: {', '.join(left_out)}"
    for steps in diagnosis.steps:
        yield steps_line(steps)
        yield from work_lines(steps)
    if diagnosis.unprofiled_step_seconds is not None:
        yield f"without a profiler a step takes {units.seconds(diagnosis.unprofiled_step_seconds)}"
    yield from (f"note: {note}" for note in diagnosis.warnings if note.startswith(OTHERS_RAN))


def _finding(number: int, finding: Finding, width: int) -> list[str]:
    title = f"{number}. {finding.title}: {saving(finding)}; confidence {finding.confidence} [{finding.rule}]"
    lines = _wrapped(title, width, further="   ")
    for proof in finding.evidence:
        place = f" ({proof.place})" if proof.place and proof.place not in proof.text else ""
        lines += _wrapped(f"- {proof.text}{place}", width, "   ")
    for field, label in LABELS.items():
        lines += _wrapped(f"{label:9} {getattr(finding, field)}", width, "   ", " " * 10)
    return lines


def _wrapped(text: str, width: int, indent: str = "", further: str = "  ") -> list[str]:
    """Words are not broken: commands are copied from here."""
    return wrapped(text, width, indent, further, whole_words=True)


def render_markdown(diagnosis: Diagnosis) -> str:
    lines = ["## Diagnosis", ""]
    lines += [f"- {_plain(line)}" for line in _opening(diagnosis)]
    lines.append("")
    if diagnosis.findings:
        lines += ["| # | bottleneck | could save | confidence | rule |", "|---|---|---|---|---|"]
    for number, finding in enumerate(diagnosis.findings, 1):
        cells = (str(number), finding.title, saving(finding), finding.confidence, finding.rule)
        lines.append(f"| {' | '.join(_plain(cell) for cell in cells)} |")
    lines += ["" if diagnosis.findings else NOTHING, ""]
    if first := first_of_kernels(diagnosis):
        lines += [f"From number {first} on: {_plain(OF_KERNELS)}", ""]
    for number, finding in enumerate(diagnosis.findings, 1):
        lines += _markdown_finding(number, finding)
    for one in diagnosis.downgraded:
        lines.append(f"- lowered: {one.rule} from {one.was} to {one.now}, because of {one.by}: {_plain(one.reason)}")
    if diagnosis.abstained:
        lines += ["", "Could not look, for want of:", ""]
        lines += [f"- {_plain(missing)}: {', '.join(rules)}" for missing, rules in missing_inputs(diagnosis)]
    if nothing := found_nothing(diagnosis):
        lines += ["", f"Looked and found nothing: {', '.join(nothing)}."]
    lines += [f"- note: {_plain(note)}" for note in closing_notes(diagnosis)]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_finding(number: int, finding: Finding) -> list[str]:
    lines = [f"### {number}. {_plain(finding.title)}", ""]
    for proof in finding.evidence:
        place = f" ({proof.place})" if proof.place else ""
        lines.append(f"- {_plain(proof.text + place)}")
    lines += ["", f"Change: {_plain(finding.advice)}.", "", "Try:", "", f"    {finding.experiment}", ""]
    return [*lines, f"Wrong if: {_plain(finding.refuted_by)}.", ""]


def _plain(text: str) -> str:
    """Names of kernels and files are not ours: nothing in them may become a mark-up, a link or a new line."""
    return re.sub(r"([\\*_\[\]<>|#!~])", r"\\\1", " ".join(text.split()))
