"""Expectations for people: every measuring day with its ratio, and the change that the gate can see."""

from collections.abc import Mapping, Sequence

from perfproof.core import units
from perfproof.core.expectations import Day, Expectations
from perfproof.core.verification import Outcome
from perfproof.report.rows import one_line
from perfproof.report.verification.rows import change_text, days

NO_DAY = "no qualified day"


def render(document: Expectations, sights: Mapping[tuple[str, str], float | None]) -> str:
    """`sights` is what verify can see, by target and variant."""
    canary = f", canary {document.canary}" if document.canary else ""
    lines = [f"{document.kind}{canary}: {len(document.targets)} expected"]
    for name, entry in sorted(document.targets.items()):
        lines.append(name)
        for variant in dict.fromkeys(variant for day in entry.days for variant in day.ratios):
            sight = sights.get((name, variant))
            own = sorted((day for day in entry.days if variant in day.ratios), key=lambda day: (day.date, day.run))
            used = [day for day in own if day.qualified]
            dates = len({day.date[:10] for day in used})
            runs = f" from {units.count(len(used), 'run')}" if len(used) > dates else ""
            seen = f"{days(dates)}{runs}, verify can see {units.percent(sight)}" if sight is not None else NO_DAY
            lines.append(f"  {variant}: {seen}")
            lines += [f"    {_day(day, variant)}" for day in own]
    return "\n".join(lines) + "\n"


def render_diff(outcomes: Sequence[Outcome], unqualified: Sequence[str]) -> str:
    lines = [_difference(one) for one in outcomes] or ["no target has a result"]
    if unqualified:
        lines.append(f"this run cannot be recorded: {'; '.join(unqualified)}")
    return "\n".join(lines) + "\n"


def _day(day: Day, variant: str) -> str:
    one = day.ratios[variant]
    interval = "" if one.low is None or one.high is None else f" [{one.low:.3f}, {one.high:.3f}]"
    not_used = "" if day.qualified else f", not qualified: {day.why_not}"
    return (
        f"{day.date[:10]} {one.ratio:.3f}x{interval} {one.verdict}{_sizes(day)}, {day.effort}, {day.commit[:8]} on "
        f"{day.fingerprint[:8]}: {one_line(day.message)}{not_used}"
    )


def _sizes(day: Day) -> str:
    """` at elements=1000`"""
    return f" at {' '.join(f'{name}={value}' for name, value in day.sizes.items())}" if day.sizes else ""


def _difference(one: Outcome) -> str:
    label, seen = f"{one.target} {one.variant}".rstrip(), one.screening
    if seen is None:
        return f"{label}: {one.outcome}: {one.reason}"
    word = "" if seen.flagged else ", within what days differ by"
    return (
        f"{label}: {units.ratio(seen.today)}, expected {units.ratio(seen.expected)} ({days(seen.days)}): "
        f"{change_text(seen)}{word}; verify can see {units.percent(seen.detectable)}"
    )
