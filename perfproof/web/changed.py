"""What changed since yesterday: the results of the last day against the last ones before it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from perfproof.core import units
from perfproof.core.natural_order import natural_order
from perfproof.web.catalogue import Catalogue, Result
from perfproof.web.choosing import GRAVE

ORDER = ("broken", "worse", "better", "changed", "new")


@dataclass(frozen=True)
class Changed:
    what: str  # one of ORDER
    now: Result
    before: Result | None
    words: str  # what it was before: "faster 1.94x"


@dataclass(frozen=True)
class News:
    since: str  # the moment, ISO 8601
    is_yesterday: bool  # or the last day on which anything was measured
    changes: list[Changed]
    same: int  # results that say the same as before
    first: int = 0  # results, if nothing was measured before them: they are no changes


def news_of(found: Catalogue, now: datetime) -> News:
    """What changed in the last 24 hours, or on the last day with runs if these had none."""
    since = f"{now.astimezone(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    newest = next((run.started for run in found.runs if run.results), "")
    is_yesterday = newest >= since
    if not is_yesterday:
        since = newest[:10]
    fresh: dict[tuple[str, ...], Result] = {}
    for run in found.runs:
        if run.started >= since:
            for one in run.results:
                fresh.setdefault((one.target, one.variant, one.kind, one.sizes), one)
    before = _before(found, since, fresh)
    compared = [_change(one, before.get(key) or _other(before, one)) for key, one in fresh.items()]
    if not any(run.results and run.started < since for run in found.runs):
        return News(since, is_yesterday, [], 0, len(compared))
    changes = sorted(
        (one for one in compared if one.what), key=lambda one: (ORDER.index(one.what), natural_order(one.now.target))
    )
    return News(since, is_yesterday, changes, len(compared) - len(changes))


def _before(found: Catalogue, since: str, fresh: dict[tuple[str, ...], Result]) -> dict[tuple[str, ...], Result]:
    """The newest earlier result of every fresh key, and of its target on its kind of machine."""
    missing = fresh.keys() | {(one.target, one.kind) for one in fresh.values()}
    targets = {one.target for one in fresh.values()}
    before: dict[tuple[str, ...], Result] = {}
    for run in found.runs:
        if not missing:
            break
        for one in run.results:
            if one.target in targets and run.started < since:
                for key in missing & {(one.target, one.variant, one.kind, one.sizes), (one.target, one.kind)}:
                    before[key] = one
                    missing = missing - {key}
    return before


def _other(before: dict[tuple[str, ...], Result], one: Result) -> Result | None:
    """A target that has no result now has no variant and no sizes: it is held against any of its earlier ones."""
    return before.get((one.target, one.kind)) if one.ratio is None else None


def _change(now: Result, before: Result | None) -> Changed:
    if before is None:
        return Changed("new", now, None, "–")
    if now.word in GRAVE[:5] and before.word != now.word:
        return Changed("broken", now, before, before.word)
    if now.ratio is None or before.ratio is None:
        same = now.word == before.word
        return Changed("" if same else "changed", now, before, before.word)
    words = f"{before.word} {units.ratio(before.ratio)}"
    if _apart(now, before):
        return Changed("worse" if now.ratio < before.ratio else "better", now, before, words)
    if now.word != before.word:
        return Changed("changed", now, before, words)
    return Changed("", now, before, words)


def _apart(now: Result, before: Result) -> bool:
    """Two intervals that do not touch."""
    if now.low is None or now.high is None or before.low is None or before.high is None:
        return False
    return now.high < before.low or before.high < now.low
