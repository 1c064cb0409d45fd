"""What `perfproof profile` prints: what is about to run, what was recorded, what differs, and the next step."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfproof.cli.width import text_width

if TYPE_CHECKING:
    from perfproof.core.profile_record import Capture, Difference, Portion, ProfileRecord, VariantDifference
    from perfproof.profile.lint.lint import Linted
    from perfproof.profile.manifest.selection import Selection
    from perfproof.profile.plans import Plan

MOST_PORTIONS, MOST_DIFFERENCES = 10, 15
NAME_WIDTH = 56
MARKS = {"gone": "-", "added": "+", "changed": "~", "same": "="}


def announcement(tool: str, plan: "Plan") -> str:
    """Before anything runs: what it records and what that costs."""
    lines = [f"{tool}: records {', '.join(plan.recorded) or 'nothing beyond the run itself'}"]
    if plan.metrics:
        cost = f"every kernel runs about {plan.passes} time{'s' * (plan.passes != '1')}" if plan.passes else "no replay"
        lines[0] = f"{tool}: {len(plan.metrics)} metrics, {cost}"
        lines += [f"  {metric}" for metric in plan.metrics]
    lines += [f"  left out {one.argument}: {one.why}" for one in plan.dropped]
    if plan.complete is not None:
        lines.append("  the program is ended when that is recorded; --steps 0 lets it run to its end")
    return "\n".join(lines)


def record_page(record: "ProfileRecord", folder: Path) -> str:
    """A capture a paragraph, then the differences, then what to do next."""
    what = record.target or shlex.join(record.program)
    lines = [f"{what}: {record.tool}, {record.preset}, on {record.device}"]
    if record.stands_in_for:
        lines.append(f"{record.tool} stands in for {record.stands_in_for}")
    for one in record.captures:
        lines += ["", *_capture(one, record.device)]
    for each in record.differences:
        lines += ["", *_differences(each)]
    lines += ["", f"saved {folder / 'profile.json'}"]
    kept = [one.main_files for one in record.captures if one.main_files and one.status in ("ok", "timeout")]
    if kept:
        alone = len(record.captures) == 1 or bool(record.program)  # then its folder names it
        if record.captures[0].tool != "ncu":
            lines.append(f"look  perfproof view {shlex.quote(str(folder if alone else folder / kept[-1][0]))}")
        if record.tool not in ("perf", "syscalls"):  # no rule reads them
            files = [folder] if alone else [folder / name for name in kept[-1]]
            lines.append(f"next  perfproof diagnose {shlex.join(map(str, files))}")
    return "\n".join(lines)


def _capture(one: "Capture", device: str) -> list[str]:
    from perfproof.core.units import seconds

    lines = [f"{one.variant or 'command'}  {one.status}, {one.seconds:.1f} s"]
    if one.why:
        lines.append(f"  why   {one.why}")
    if one.fix:
        lines.append(f"  fix   {one.fix}")
    if one.calls and one.call_seconds and one.profiled_call_seconds:
        price = f"{seconds(one.call_seconds)} per call, {seconds(one.profiled_call_seconds)} while it was profiled"
        lines.append(f"  {one.calls} steady calls: {price}")
    if one.passes_seen:
        lines.append(f"  passes: {', '.join(map(str, one.passes_seen))} (announced: {one.passes})")
    lines += _portions(one.portions, "per call" if one.calls else "in all")
    lines += _compiler(one.found)
    expected = {"device"} if device == "cpu" else set()
    expected |= {what for what, why in one.unknown.items() if any(note.startswith(why) for note in one.notes)}
    lines += [f"  unknown {what}: {why}" for what, why in one.unknown.items() if what not in expected]
    lines += [f"  note  {note}" for note in one.notes]
    if one.left:
        lines.append(f"  note  {one.left} processes outlived the command and were ended")
    return lines


def _compiler(found: dict[str, Any]) -> list[str]:
    """Graph breaks and recompiles, each with its line."""
    if "events" not in found:
        return []
    events = found["events"]
    number = {kind: sum(one["count"] for one in events if one["kind"] == kind) for kind in ("graph break", "recompile")}
    lines = [f"  {number['graph break']} graph breaks, {number['recompile']} recompiles"]
    return lines + [
        f"  {one['count']:>4} {one['kind']:<11}  {one['where']}  {one['reason']}" for one in events[:MOST_PORTIONS]
    ]


def _portions(portions: Sequence["Portion"], unit: str) -> list[str]:
    from perfproof.core.units import percent, seconds

    if not portions:
        return []
    whole = sum(one.seconds or 0.0 for one in portions)
    total = sum(one.launches for one in portions)
    counted = {"frame": "samples", "call": "calls", "operator": "calls"}.get(portions[0].kind, "launches")
    shown = portions[:MOST_PORTIONS]
    names = min(max(len(_short(one)) for one in shown), NAME_WIDTH, text_width() - 33)
    names = max(names, len(f"{portions[0].kind}, {unit}"))
    lines = [f"  {f'{portions[0].kind}, {unit}':<{names}}  {counted:>9}  {'time':>9}   share"]
    for one in shown:
        share = (one.seconds or 0.0) / whole if whole else one.launches / total if total else None
        name, number = f"{_short(one, names):<{names}}", _number(one.launches)
        lines.append(f"  {name}  {number:>9}  {seconds(one.seconds):>9}  {percent(share):>6}")
    if len(portions) > MOST_PORTIONS:
        lines.append(f"  and {len(portions) - MOST_PORTIONS} more in profile.json")
    if portions[0].kind == "operator":
        lines.append("  shares are of operators; for the rest: perfproof diagnose")
    return lines


def _differences(each: "VariantDifference") -> list[str]:
    lines = [f"{each.before} -> {each.after}"]
    if each.refused:
        return [*lines, f"  not compared: {each.refused}"]
    return [*lines, *difference_lines(each.rows, "profile.json")]


def difference_lines(rows: "list[Difference]", more: str) -> list[str]:
    """The rows that moved most; `more` says where the others are."""
    lines = [
        f"  {MARKS[row.change]} {row.change:<7} {_short(row.after or row.before):<{NAME_WIDTH}}  {_moved(row)}"
        for row in rows[:MOST_DIFFERENCES]
    ]
    if len(rows) > MOST_DIFFERENCES:
        lines.append(f"  and {len(rows) - MOST_DIFFERENCES} more in {more}")
    return lines


def _moved(row: "Difference") -> str:
    """Both times and the counters that differ; of samples, their numbers."""
    from perfproof.core.units import seconds

    def amount(one: "Portion | None") -> str:
        return "–" if one is None else f"{one.launches:.4g}" if one.seconds is None else seconds(one.seconds)

    said = f"{amount(row.before)} -> {amount(row.after)}"
    for name in row.what.split(", "):
        if row.before and row.after and name in row.before.counters:
            said += f"; {name} {row.before.counters[name]:.4g} -> {row.after.counters[name]:.4g}"
        elif name == "launches" and row.before and row.after:
            said += f"; launches {_number(row.before.launches)} -> {_number(row.after.launches)}"
        elif name and name not in ("time", "share"):
            said += f"; another {name}"
    return said


def _number(value: float) -> str:
    """30,720 and 2.5: counts are whole unless they are an average of few."""
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"


def _short(one: "Portion | None", width: int = NAME_WIDTH) -> str:
    if one is None:
        return ""
    shape = f" {one.grid}/{one.block}" if one.grid or one.block else ""
    room = width - len(shape)
    name = one.name if len(one.name) <= room else f"{one.name[: room // 3]}…{one.name[-(room - room // 3 - 1) :]}"
    return name + shape


def lint_page(linted: "Linted") -> str:
    """One finding a paragraph, then the line to use."""
    lines = []
    for finding in linted.findings:
        lines.append(f"{finding.level:6} {finding.what}")
        lines.append(f"       why    {finding.why}")
        if finding.right or finding.level == "wrong":
            lines.append(f"       right  {finding.right or '(dropped)'}")
    lines += [] if linted.wrong else ["nothing to correct"]
    return "\n".join([*lines, "", linted.line])


def metrics_page(selection: "Selection") -> str:
    times = "time" if selection.passes == "1" else "times"
    cost = f"every kernel runs about {selection.passes} {times}" if selection.most_passes else "no replay"
    lines = [f"# {selection.name} on {selection.chip}: {len(selection.metrics)} metrics, {cost}"]
    lines += selection.metrics
    if selection.nsys:
        trace = f"--trace={','.join(selection.nsys)}"
        lines.append(f"# nsys profile {' '.join([trace, *selection.options])}")
    lines += [f"# {note}" for note in selection.notes]
    return "\n".join(lines)
