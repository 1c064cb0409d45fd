"""Times of a canary by run: of one size, one clock and one statistic, so that only the host can move them."""

from collections.abc import Collection

from sqlalchemy import func, select

from perfproof.history.index.store import Store
from perfproof.history.index.tables import results


def canary_times(store: Store, canary: str, kind: str, runs: Collection[str]) -> tuple[dict[str, float], str]:
    """Seconds in those of the runs that have it, and the sizes: those of most runs, of as many the newest.

    Its baseline is taken, which is the side that nobody improves.
    """
    time = func.coalesce(results.c.baseline_seconds, results.c.variant_seconds)
    statement = (
        select(results.c.run, time, results.c.sizes, results.c.clock, results.c.statistic)
        .where(results.c.target == canary, results.c.kind == kind, results.c.status == "ok", time > 0)
        .order_by(results.c.started, results.c.run, results.c.place.desc(), results.c.variant.desc())
    )
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for run, seconds, *conditions in store.read(lambda connection: connection.execute(statement).all()):
        if run in runs:
            times = found.pop(tuple(conditions), {})
            times[run] = seconds
            found[tuple(conditions)] = times  # measured last stands last
    if not found:
        return {}, ""
    newest_first = list(found)[::-1]
    pinned = max(newest_first, key=lambda one: len(found[one]))
    return found[pinned], pinned[0]
