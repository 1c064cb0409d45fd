"""Two profiles compared, as text."""

from perfproof.cli.show.profile import difference_lines
from perfproof.core.profile_comparison import ComparedProfile, ProfileComparison
from perfproof.core.units import seconds


def comparison_text(found: ProfileComparison) -> str:
    lines = [f"a: {_profile(found.a)}", f"b: {_profile(found.b)}"]
    counts = {
        change: sum(row.change == change for row in found.rows) for change in ("gone", "added", "changed", "same")
    }
    lines += ["", f"per {found.per}: {', '.join(f'{count} {change}' for change, count in counts.items())}"]
    lines += difference_lines(found.rows, "--json")
    lines += ["", "one recording of each: a difference below 5 % is not one, and larger ones have no interval"]
    if found.per == "recording" and found.a.source != "ncu":
        lines.append("steps were not found in both: sums are of whole recordings, start-up included")
    return "\n".join(lines) + "\n"


def _profile(one: ComparedProfile) -> str:
    steps = f", {one.steps} steady steps of {seconds(one.step_seconds)}" if one.steps else ""
    work = "" if one.work_seconds is None else f", work {seconds(one.work_seconds)}"
    return f"{one.file} ({one.source}{steps}{work})"
