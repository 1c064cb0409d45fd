"""What a bundle comes to, before any fact: is the node sick, does the command work, what holds it back, what is next.

A verdict says no more than the documents do: what was not judged is said to be not judged, and is no good news.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from perfproof.core.units import percent, seconds
from perfproof.triage.failure import ending
from perfproof.triage.opening import Bundle

Tone = Literal["good", "bad", "unsure", "null"]
STARTUP = 0.25  # of the wall time: less than that is not worth a verdict
PLACEHOLDER = re.compile(r"(?:python|torchrun)3? train\.py|your-command|COMMAND\b|PROGRAM\b")
NOISY = 0.1  # of the median: runs that lie further apart hide a small gain
MOST_NEWS = 5
KERNEL_TIME = re.compile(r"^\s*\[ *[0-9.]{1,20}\]\s*|^[-0-9T:,.+]{10,40}\s+")  # dmesg's own time, or --time-format iso
XID = re.compile(r"Xid \([^)]{1,60}\): ([0-9]{1,4})")
# NVIDIA, "XID Errors": memory beyond correction (48, 64, 94, 95), NVLink (74), off the bus (79), GSP (119, 120)
GRAVE_XIDS = frozenset({48, 64, 74, 79, 94, 95, 119, 120})


@dataclass(frozen=True)
class Verdict:
    word: str  # one or two words for a margin
    tone: Tone
    claim: str
    because: tuple[str, ...] = ()


@dataclass(frozen=True)
class Next:
    """A command, or what a person does, and what for."""

    do: str
    why: str


def verdicts(bundle: Bundle) -> list[Verdict]:
    found = [_node(bundle), *_command(bundle), *_bottleneck(bundle), *_resources(bundle), *_collection(bundle)]
    order = ("bad", "unsure", "good", "null")
    crashed = fails(bundle)
    return sorted(found, key=lambda one: (not (crashed and one.word == "command"), order.index(one.tone)))


def fails(bundle: Bundle) -> bool:
    """Whether any run of the command ended with an error, or had to be ended."""
    return any(run["late"] or run["exit_code"] for run in bundle.document("timing").get("runs", []))


def next_steps(bundle: Bundle) -> list[Next]:
    """In the order in which to take them."""
    return list(dict.fromkeys(_next(bundle)))


def _node(bundle: Bundle) -> Verdict:
    checks = bundle.document("health").get("checks", [])
    failed = [one for one in checks if one.get("result") == "fail"]
    sick = [one for one in failed if one["severity"] == "sick"]
    said = tuple(_symptom(one) for one in [*sick, *(one for one in failed if one not in sick)])
    news = _counted([str(line) for line in bundle.document("checklist").get("kernel_news", [])])
    grave = [line for line in news if _is_grave(line)]
    said += tuple(f"kernel log: {line}" for line in [*grave, *(one for one in news if one not in grave)][:MOST_NEWS])
    unread = sum(one.get("result") == "not-run" for one in checks)
    if symptoms := len(sick) + len(grave):
        count = f"{symptoms} symptom{'' if symptoms == 1 else 's'}"
        return Verdict("sick node", "bad", f"The node is sick ({count}): repair it before measuring", said)
    if said:
        return Verdict("node", "unsure", "Nothing calls the node sick, but know this before you believe a number", said)
    passed = sum(one.get("result") == "pass" for one in checks)
    if passed:
        claim = f"No sign of a sick node: {passed} checks passed, {unread} could not be made"
        return Verdict("node", "good", claim)
    return Verdict("node", "null", "The node's health was not judged")


def _counted(lines: list[str]) -> list[str]:
    """The kernel's lines without their times, each once, with how often it was said."""
    counts = Counter(KERNEL_TIME.sub("", line) for line in lines)
    return [line if count == 1 else f"{line} ({count} times)" for line, count in counts.items()]


def _is_grave(line: str) -> bool:
    found = XID.search(line)
    return found is not None and int(found[1]) in GRAVE_XIDS


def _symptom(check: dict[str, Any]) -> str:
    said = f"{check['part']}: {check['name']} is {check['seen']}, expected {check['expected']}; {check['advice']}"
    return said if check["severity"] == "sick" else f"to watch: {said}"


def _command(bundle: Bundle) -> Iterator[Verdict]:
    runs = bundle.document("timing").get("runs", [])
    if not runs:
        if bundle.manifest.command:
            step = bundle.manifest.step("timing")
            yield Verdict("command", "bad", f"The command was not timed: {step.why if step else 'no time was left'}")
        return
    why = tuple(part for part in (getattr(bundle.manifest.step("timing"), "why", ""),) if part)
    codes = sorted({run["exit_code"] for run in runs if run["exit_code"]})
    said = next((tuple(run.get("last_lines", [])) for run in runs if run["late"] or run["exit_code"]), ())
    if any(run["late"] for run in runs):
        yield Verdict("command", "bad", "The command did not end by itself", (*why, *said))
        return
    if codes:
        yield Verdict("command", "bad", f"The command fails: it {', '.join(map(ending, codes))}", (*said, *why))
        return
    yield from _startup(runs)
    walls = [run["seconds"] for run in runs]
    apart = (max(walls) - min(walls)) / median(walls)
    claim = f"{len(walls)} runs, median {seconds(median(walls))}, from {seconds(min(walls))} to {seconds(max(walls))}"
    claim = claim if len(walls) > 1 else f"one run of {seconds(walls[0])}: how much runs differ is unknown"
    if apart > NOISY:
        yield Verdict("noisy", "unsure", f"{claim}: {percent(apart, 0)} apart, a smaller gain would not be seen", why)
    else:
        yield Verdict("command", "good", claim, why)


def _startup(runs: list[dict[str, Any]]) -> Iterator[Verdict]:
    """Start-up apart from steady state, where the telemetry of a GPU tells them apart."""
    known = [run for run in runs if isinstance(run.get("startup_seconds"), float) and run["seconds"] > 0]
    if not known:
        return
    share = median(run["startup_seconds"] / run["seconds"] for run in known)
    if share < STARTUP:
        return
    typical = median(run["startup_seconds"] for run in known)
    claim = (
        f"{percent(share, 0)} of the wall time is start-up: {seconds(typical)} until a GPU is busy for the first time"
    )
    rest = "the rest is the steady state: a gain there moves the wall time by less than that share"
    yield Verdict(
        "start-up", "unsure", claim, (rest, "give the command more steps, or judge a metric that it reports (--metric)")
    )


def _bottleneck(bundle: Bundle) -> Iterator[Verdict]:
    if not bundle.manifest.command or fails(bundle):
        return
    document, step = bundle.document("diagnosis"), bundle.manifest.step("diagnosis")
    found = worthwhile(bundle)
    if not document:
        why = f"{step.status}: {step.why}" if step else "the step was not reached"
        yield Verdict("bottleneck", "null", f"Nothing was diagnosed ({why})")
        return
    if not found:
        yield Verdict("bottleneck", "null", "No known bottleneck shows in what was recorded")
        return
    first = found[0]
    title = str(first.get("title", "?"))
    saves = f"could save at most {percent(first['share'])}, " if isinstance(first.get("share"), float) else ""
    claim = f"{title[:1].upper()}{title[1:]} ({saves}confidence {first.get('confidence', '?')})"
    said = tuple(str(one.get("text", "")) for one in first.get("evidence", [])[:2] if isinstance(one, dict))
    yield Verdict("bottleneck", "unsure", claim, (*said, f"change: {first.get('advice', '')}"))


def _resources(bundle: Bundle) -> Iterator[Verdict]:
    rows = bundle.document("use").get("rows", [])
    warned = tuple(f"{row['resource']}: {row['warning']}" for row in rows if row.get("warning"))
    if warned:
        yield Verdict("resources", "unsure", "The machine was busy while it was looked at, before any command", warned)


def _collection(bundle: Bundle) -> Iterator[Verdict]:
    bad = [one for one in bundle.manifest.steps if one.status in ("timed out", "failed", "denied")]
    said = [f"{one.name}: {one.status}: {one.why}" for one in bad if one.name != "timing"]
    said += [f"left out: {name}: {why}" for name, why in bundle.manifest.left_out.items()]
    if said:
        yield Verdict("incomplete", "unsure", f"The bundle is not complete: {len(said)} thing(s) missing", tuple(said))


def _next(bundle: Bundle) -> Iterator[Next]:
    health = bundle.document("health").get("checks", [])
    for one in health:
        if one.get("result") == "fail" and one["severity"] == "sick":
            yield Next(one["advice"], f"{one['part']}: {one['name']}")
    if bundle.document("gpu").get("gpus") and not bundle.document("ceilings"):
        yield Next("perfproof triage --ceilings", "measure what the GPU can do against the floors of its kind")
    if not bundle.manifest.command:
        yield Next("perfproof triage -- your-command", "time, profile and diagnose the job itself")
        return
    program = shlex.join(bundle.manifest.command)
    if fails(bundle):
        yield Next(program, "repair this first: no advice on speed holds for a command that fails")
        yield Next(f"perfproof triage -- {program}", "once it ends with 0: time, profile and diagnose it")
        return
    if bundle.document("profile") and not bundle.document("diagnosis"):
        folder = f"{bundle.manifest.name}/raw/profile/profiles/*"
        yield Next(f"perfproof diagnose {folder}", "the profile was recorded, and there was no time to read it")
    for one in worthwhile(bundle)[:3]:
        if one.get("experiment"):
            yield Next(
                filled_in(str(one["experiment"]), bundle.manifest.command),
                f"shows what it brings: {one.get('title', '?')}",
            )
    if bundle.document("profile").get("stands_in_for"):
        yield from _missing_profiler(bundle)
    if any(one.word == "noisy" for one in _command(bundle)):
        yield Next(
            f"perfproof ab --a {shlex.quote(program)} --b CHANGED", "measures in pairs: a drift does not spoil it"
        )
    yield Next(f"perfproof triage --tag after -- {program}", "after one change")
    yield Next(f"perfproof triage ab {bundle.manifest.name}.tgz latest", "then the table to return")


def filled_in(experiment: str, command: list[str]) -> str:
    """The user's own command in the place of an example's."""
    program = shlex.join(command)
    return PLACEHOLDER.sub(lambda _: program, experiment) if program else experiment


def worthwhile(bundle: Bundle) -> list[dict[str, Any]]:
    """Findings, without advice that this machine's own ceilings refute: bfloat16 on a CPU that only emulates it."""
    found = bundle.document("diagnosis").get("findings", [])
    plain, half = _rate(bundle, "fp32"), _rate(bundle, "bf16")
    if not plain or not half or half > plain:
        return list(found)
    return [one for one in found if "bfloat16" not in str(one.get("advice", ""))]


def _rate(bundle: Bundle, dtype: str) -> float:
    """The fastest product of matrices in this format; 0 if nobody measured one."""
    rows = [*bundle.document("ceilings").get("ceilings", []), *bundle.document("precision").get("ceilings", [])]
    wanted = f"gemm/{dtype}/"
    return max(
        (float(one.get("value", 0.0)) for one in rows if str(one.get("name", "")).startswith(wanted)), default=0.0
    )


def _missing_profiler(bundle: Bundle) -> Iterator[Next]:
    """Where there is a GPU, the line that installs the profiler for it."""
    for row in bundle.document("can").get("rows", []):
        if row.get("name") == "nsys" and row.get("fix") and bundle.document("gpu").get("gpus"):
            yield Next(row["fix"], "another profiler stood in for Nsight Systems")
