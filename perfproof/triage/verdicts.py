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
from perfproof.triage.opening import Bundle

Tone = Literal["good", "bad", "unsure", "null"]
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
    return sorted(found, key=lambda one: order.index(one.tone))


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
    if any(run["late"] for run in runs):
        yield Verdict("command", "bad", "The command did not end by itself", why)
        return
    if codes:
        yield Verdict("command", "bad", f"The command fails: it ended with {', '.join(map(str, codes))}", why)
        return
    walls = [run["seconds"] for run in runs]
    apart = (max(walls) - min(walls)) / median(walls)
    claim = f"{len(walls)} runs, median {seconds(median(walls))}, from {seconds(min(walls))} to {seconds(max(walls))}"
    claim = claim if len(walls) > 1 else f"one run of {seconds(walls[0])}: how much runs differ is unknown"
    if apart > NOISY:
        yield Verdict("noisy", "unsure", f"{claim}: {percent(apart, 0)} apart, a smaller gain would not be seen", why)
    else:
        yield Verdict("command", "good", claim, why)


def _bottleneck(bundle: Bundle) -> Iterator[Verdict]:
    if not bundle.manifest.command:
        return
    document, step = bundle.document("diagnosis"), bundle.manifest.step("diagnosis")
    found = document.get("findings", [])
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
    if bundle.document("profile") and not bundle.document("diagnosis"):
        folder = f"{bundle.manifest.name}/raw/profile/profiles/*"
        yield Next(f"perfproof diagnose {folder}", "the profile was recorded, and there was no time to read it")
    for one in bundle.document("diagnosis").get("findings", [])[:3]:
        if one.get("experiment"):
            yield Next(str(one["experiment"]), f"shows what it brings: {one.get('title', '?')}")
    if bundle.document("profile").get("stands_in_for"):
        yield from _missing_profiler(bundle)
    if any(one.word == "noisy" for one in _command(bundle)):
        program = shlex.quote(shlex.join(bundle.manifest.command))
        yield Next(f"perfproof ab --a {program} --b CHANGED", "measures in pairs: a drift does not spoil it")
    yield Next(f"perfproof triage ab {bundle.manifest.name}.tgz OTHER.tgz", "the table to return, after one change")


def _missing_profiler(bundle: Bundle) -> Iterator[Next]:
    """Where there is a GPU, the line that installs the profiler for it."""
    for row in bundle.document("can").get("rows", []):
        if row.get("name") == "nsys" and row.get("fix") and bundle.document("gpu").get("gpus"):
            yield Next(row["fix"], "another profiler stood in for Nsight Systems")
