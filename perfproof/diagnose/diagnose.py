"""From evidence to a diagnosis: every rule looks, what is promised twice is promised once, the rest is ranked."""

import importlib
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from perfproof import __version__
from perfproof.core.diagnosis import CONFIDENCES, Abstained, Confidence, Diagnosis, Downgraded, Finding, Proof, Steps
from perfproof.core.errors import UnfitError
from perfproof.core.events import ABSENT
from perfproof.diagnose import rules, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.step_work import step_work
from perfproof.diagnose.wording import COMPARE_CHANGE, percent

# Of the step, or of the profiled kernels. Less is not listed: two runs of one program differ by more, so that nobody
# could tell whether the fault was mended.
WORTH_SAYING = 0.01
FALLBACKS = ("busiest_line", "own_kernel")
LONG_RUNS = (
    "`perfproof ab` runs the whole program several times, and this one runs for long: give it fewer steps, and judge a "
    "rate that it prints, for example --metric 'rate:higher=regex:([0-9.]+) items/s' --judge rate"
)
SHARE_IN_ALL = "share_in_all"  # marks the proof that says what other findings explain
NO_STEPS = (
    "nothing in the trace repeats, so that what happens once may be all of it; mark steps, or record more of them"
)


class Rule(Protocol):
    def find(self, evidence: Evidence) -> Finding | Abstained | None: ...


def diagnose(evidence: Evidence) -> Diagnosis:
    """Ask every rule; settle, downgrade and rank what they found."""
    answers = {name: load_rule(name).find(evidence) for name in rule_names()}
    found = [answer for answer in answers.values() if isinstance(answer, Finding)]
    below = [one for one in found if one.share is not None and one.share <= _speaks_at(one.rule)]
    found = without_fallback([one for one in found if one not in below])
    large = worth_saying(found)  # what is too small to be listed takes nothing off another finding
    settled = settle(large)
    listed = worth_saying(settled)
    judged, downgraded = downgrade(with_lines(listed, evidence))
    if evidence.traces and not any(trace.found for trace in evidence.traces):
        judged, unsure = without_steps(judged)
        downgraded += unsure
    ranked = numbered(rank(judged))
    small = [one for one in found if one not in large]
    counted = [one for one in settled if one not in listed]
    unprofiled = evidence.unprofiled_step_ns
    return Diagnosis(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        inputs=list(evidence.inputs),
        steps=_steps(evidence),
        unprofiled_step_seconds=None if unprofiled is None else unprofiled / 1e9,
        findings=ranked,
        abstained=[answer for answer in answers.values() if isinstance(answer, Abstained)],
        downgraded=downgraded,
        silent=sorted(
            [name for name, answer in answers.items() if answer is None]
            + [one.rule for one in (*below, *small, *counted)]
        ),
        warnings=[
            *evidence.warnings,
            *map(_below, [one for one in below if (one.share or 0.0) >= WORTH_SAYING]),
            *map(_too_small, small),
            *(_counted_under(one, ranked) for one in counted),
            *([LONG_RUNS] if evidence.ran_long and any(one.experiment == COMPARE_CHANGE for one in ranked) else []),
        ],
    )


def with_command(diagnosis: Diagnosis, command: str, is_committed: bool = True) -> Diagnosis:
    """The experiments name the program that was profiled, if it is known. Without a commit that has the program there
    are no revisions to compare: a changed copy takes their place."""
    for one in diagnosis.findings:
        if not is_committed and one.experiment == COMPARE_CHANGE:
            one.experiment = f"perfproof ab 'COMMAND' {shlex.quote(_changed(command))}"
        if command:
            one.experiment = one.experiment.replace("'COMMAND'", shlex.quote(command)).replace("COMMAND", command)
    return diagnosis


def _changed(command: str) -> str:
    """`python train_new.py` for `python train.py`."""
    script = script_of(command)
    return command.replace(script, f"{script.removesuffix('.py')}_new.py", 1) if script else "THE CHANGED PROGRAM"


def script_of(command: str) -> str:
    """The Python file that a command runs; empty if it names none."""
    return next((word for word in command.split() if word.endswith(".py")), "")


def with_lines(findings: list[Finding], evidence: Evidence) -> list[Finding]:
    """A finding about operators of a CPU names no line of the program: add those that take most of the time."""
    lines = None if evidence.uses_gpu else sampled.busiest(evidence) or sampled.main_lines(evidence)
    if lines is None:
        return findings
    proof = Proof(text=f"the program's lines with most of the time: {lines.listed()}", place=lines.lines[0][0])
    return [
        one.model_copy(update={"evidence": [*one.evidence, proof]}) if _names_no_line(one) else one for one in findings
    ]


def _names_no_line(finding: Finding) -> bool:
    return not finding.poisons and not any(sampled.OWN.fullmatch(proof.place) for proof in finding.evidence)


def exit_code(found: Diagnosis, gate: Confidence) -> int:
    """1 if a finding is as sure as the gate asks, or surer. If no rule could look, that is no pass but an error."""
    if not found.findings and not found.silent:
        raise UnfitError("--gate: no rule could look at these files; the lines `could not look` say what each needs")
    level = CONFIDENCES.index(gate)
    return int(any(CONFIDENCES.index(one.confidence) >= level for one in found.findings))


def rule_names() -> list[str]:
    """The folder is the list."""
    return sorted(path.stem for folder in rules.__path__ for path in Path(folder).glob("[a-z]*.py"))


def load_rule(name: str) -> Rule:
    return importlib.import_module(f"{rules.__name__}.{name}")  # type: ignore[return-value]


def without_fallback(findings: list[Finding]) -> list[Finding]:
    """Where the time is goes without saying if a cause is known."""
    known = any(one.confidence != "low" and one.rule not in FALLBACKS for one in findings)
    return [one for one in findings if not known or one.rule not in FALLBACKS]


def worth_saying(findings: list[Finding]) -> list[Finding]:
    """Without those whose share is known and too small. What poisons others is listed whatever it saves."""
    return [one for one in findings if one.share is None or one.share >= WORTH_SAYING or one.poisons]


def _too_small(finding: Finding) -> str:
    where = "the step" if finding.share_of == "step" else "the profiled kernels' time"
    share = percent(finding.share or 0.0)
    return f"{finding.rule}: found {share} of {where}, below the {percent(WORTH_SAYING)} from which findings are listed"


def _speaks_at(rule: str) -> float:
    """The share up to which what a rule finds is a note, if the rule says one."""
    return float(getattr(load_rule(rule), "SPEAKS_AT", 0.0))


def _below(finding: Finding) -> str:
    limit = percent(_speaks_at(finding.rule))
    return (
        f"{finding.rule}: found {percent(finding.share or 0.0)} ({finding.title}), below the {limit} that it speaks at"
    )


def _counted_under(finding: Finding, ranked: list[Finding]) -> str:
    """Where the time of a finding stands, if others have explained it."""
    numbers = [str(number) for number, one in enumerate(ranked, 1) if one.rule in _taken_by(finding)]
    if not numbers:
        return _too_small(finding)
    return f"{finding.rule}: counted under finding {' and '.join(numbers)}"


def _taken_by(finding: Finding) -> dict[str, float]:
    """Rules that explain a part of a finding, with their shares, as `_settled` wrote them down."""
    values = next((one.values for one in reversed(finding.evidence) if SHARE_IN_ALL in one.values), {})
    return {rule: part for rule, part in values.items() if rule in finding.parts}


def numbered(ranked: list[Finding]) -> list[Finding]:
    """Findings with a part that others explain say which: the numbers are known once all are ranked."""
    numbers = {one.rule: number for number, one in enumerate(ranked, 1)}
    return [_told_by_number(one, numbers) for one in ranked]


def _told_by_number(finding: Finding, numbers: dict[str, int]) -> Finding:
    taken = _taken_by(finding)
    if not taken:
        return finding
    last = next(place for place, one in reversed(list(enumerate(finding.evidence))) if SHARE_IN_ALL in one.values)
    parts = " and ".join(
        f"{100 * part:.0f} % are {f'finding {numbers[rule]} ({rule})' if rule in numbers else rule}"
        for rule, part in taken.items()
    )
    whole = finding.evidence[last].values[SHARE_IN_ALL]
    proof = finding.evidence[last].model_copy(update={"text": f"of these {100 * whole:.0f} %, {parts}"})
    return finding.model_copy(update={"evidence": [*finding.evidence[:last], proof, *finding.evidence[last + 1 :]]})


def settle(findings: list[Finding]) -> list[Finding]:
    """Take off each share what another finding has already: the same time is not promised twice."""
    shares = {finding.rule: finding.share for finding in findings}
    return [_settled(finding, shares) for finding in findings]


def _settled(finding: Finding, shares: dict[str, float | None]) -> Finding:
    """Of a part no more goes than the other finding promises itself."""
    taken = {rule: min(part, _or(shares[rule], part)) for rule, part in finding.parts.items() if rule in shares}
    parts = {rule: part for rule, part in taken.items() if part > 0}
    if finding.share is None or not parts:
        return finding
    rest = max(0.0, finding.share - sum(parts.values()))
    named = ", ".join(f"{rule} ({100 * part:.0f} %)" for rule, part in parts.items())
    proof = Proof(
        text=f"of {100 * finding.share:.0f} % in all, this is explained by {named}: see there",
        values={SHARE_IN_ALL: finding.share, **parts},
    )
    confidence = finding.confidence if rest > finding.share / 2 else "low"
    return finding.model_copy(update={"share": rest, "confidence": confidence, "evidence": [*finding.evidence, proof]})


def _or(share: float | None, otherwise: float) -> float:
    return otherwise if share is None else share


def downgrade(findings: list[Finding]) -> tuple[list[Finding], list[Downgraded]]:
    """Lower by one step, for each finding that poisons it, what a poisoned measurement tells."""
    notes: list[Downgraded] = []
    judged = []
    for finding in findings:
        for poison in findings:
            if poison is finding or not _reaches(poison, finding) or finding.confidence == "low":
                continue
            now = CONFIDENCES[CONFIDENCES.index(finding.confidence) - 1]
            reason = f"{poison.title}: {poison.evidence[0].text}"
            notes.append(Downgraded(rule=finding.rule, by=poison.rule, was=finding.confidence, now=now, reason=reason))
            finding = finding.model_copy(update={"confidence": now})
        judged.append(finding)
    return judged, notes


def without_steps(findings: list[Finding]) -> tuple[list[Finding], list[Downgraded]]:
    """A share of a trace in which nothing repeats may be a share of something that happens once: low."""
    judged, notes = [], []
    for finding in findings:
        if finding.confidence != "low" and finding.basis == "durations" and finding.share_of == "step":
            was, finding = finding.confidence, finding.model_copy(update={"confidence": "low"})
            notes.append(Downgraded(rule=finding.rule, by="steps", was=was, now="low", reason=NO_STEPS))
        judged.append(finding)
    return judged, notes


def _reaches(poison: Finding, finding: Finding) -> bool:
    """One that poisons is itself not lowered; a suspicion (low) poisons nothing."""
    if not poison.poisons or finding.poisons or poison.confidence == "low" or poison.rule == finding.rule:
        return False
    return poison.poisons == "all" or finding.basis == "durations"


def rank(findings: list[Finding]) -> list[Finding]:
    """What poisons first, then by what could be saved; a share that is not known counts as nothing.

    A suspicion (low) comes after all others, however large: products near their peak may be nearly the whole step.
    Shares of the step come before shares of the profiled kernels: which part of a step those kernels are is not known.
    """

    def key(finding: Finding) -> tuple[bool, bool, bool, float, int, str]:
        low, of_kernels = finding.confidence == "low", finding.share_of != "step"
        poisons = bool(finding.poisons) and not low
        certain = CONFIDENCES.index(finding.confidence)
        return not poisons, low, of_kernels, -(finding.share or 0.0), -certain, finding.rule

    return sorted(findings, key=key)


def _steps(evidence: Evidence) -> list[Steps]:
    return [
        Steps(
            rank=None if trace.rank == ABSENT else trace.rank,
            source=trace.step_source,
            found=trace.found,
            used=len(trace.steps),
            mean_seconds=trace.step_ns / 1e9,
            startup_seconds=trace.startup_ns / 1e9 if trace.startup_ns else None,
            work=step_work(trace, evidence.ceilings),
        )
        for trace in (*evidence.traces, *evidence.untimed)
    ]
