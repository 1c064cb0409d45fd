"""The answers of all ranks as one: the slowest rank is the value, and a failure of any is a failure.

What is said here for each part of a reply holds whatever the question was; of a part that is not named, the first
rank's counts.
"""

from collections.abc import Callable
from typing import Any

from perfproof.worker.row import Row

GRAVITY = {"not-run": 0, "pass": 1, "fail": 2}


class RankedRow(Row):
    """A row of readings of all ranks: the slowest rank's seconds, and those of every rank beside it."""

    ranks: list[float]  # seconds a call
    skew_ns: int  # between the first rank's start and the last one's


def merged(replies: list[dict[str, Any]], asked: dict[str, Any]) -> dict[str, Any]:
    """One reply; `asked` are the fields of the question."""
    found = {}
    for name, first in replies[0].items():
        parts = [reply[name] for reply in replies]
        found[name] = MERGES[name](parts) if name in MERGES else first
    if "rows" in found:
        calls = [sample[1] for sample in asked["samples"]]
        own = found.get("own_seconds") or [_claimed(rows, calls) for rows in found["rows"]]
        found["rows"] = [
            slowest_row([Row(*rows[at]) for rows in found["rows"]], [seconds[at] for seconds in own], count)
            for at, count in enumerate(calls)
        ]
    if "counter" in found:
        found["counter"] += f", the largest of {len(replies)} ranks"
    return found


def _claimed(rows: list[list], calls: list[int]) -> list[float]:
    return [Row(*row).seconds * count for row, count in zip(rows, calls, strict=True)]


def slowest_row(rows: list[Row], seconds: list[float], calls: int) -> RankedRow:
    """From the first start to the last end; the slowest rank's time; the most that any rank was disturbed."""
    slowest = max(range(len(rows)), key=seconds.__getitem__)
    own, starts = rows[slowest], [row.start_ns for row in rows]
    host = own.host_seconds
    if host is not None:  # what escaped the device's clock on one rank must show
        escaped = [(row.host_seconds or 0.0) - one for row, one in zip(rows, seconds, strict=True)]
        host = seconds[slowest] + max(escaped)
    together = own._replace(
        start_ns=min(starts),
        end_ns=max(row.end_ns for row in rows),
        seconds=seconds[slowest] / calls,
        host_seconds=host,
        switches=max(row.switches for row in rows),
        faults=max(row.faults for row in rows),
    )
    found = RankedRow(*together)
    found.ranks = [one / calls for one in seconds]
    found.skew_ns = max(starts) - min(starts)
    return found


def worst_checks(ranks: list[list[dict[str, str]]]) -> list[dict[str, str]]:
    """Each check as the rank had it that failed it; what every rank says is said once."""
    found: dict[str, dict[int, dict[str, str]]] = {}
    for rank, checks in enumerate(ranks):
        for check in checks:
            found.setdefault(check["name"], {})[rank] = check
    return [_worst(by_rank, len(ranks)) for by_rank in found.values()]


def _worst(by_rank: dict[int, dict[str, str]], world: int) -> dict[str, str]:
    rank = max(by_rank, key=lambda rank: GRAVITY[by_rank[rank]["result"]])
    check = by_rank[rank]
    everybody = len(by_rank) == world and len({(one["result"], one["detail"]) for one in by_rank.values()}) == 1
    if everybody or check["result"] != "fail":
        return check
    return {**check, "detail": f"rank {rank}: {check['detail']}"}


def most_of_each(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The largest value under each name; None where no rank has one."""
    return {name: _most([part[name] for part in parts if name in part]) for part in parts for name in part}


def sum_of_each(parts: list[Any]) -> Any:
    """The calls that were checked, of each side on all ranks; a plain number is of calls that they made together."""
    if not isinstance(parts[0], dict):
        return parts[0]
    return {name: sum(part.get(name, 0) for part in parts) for part in parts for name in part}


def worst_errors(parts: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    return {side: most_of_each([part[side] for part in parts if side in part]) for part in parts for side in part}


def smallest_pool(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return min(parts, key=lambda pool: pool["set_bytes"])


def total_or_none(parts: list[Any]) -> Any:
    """What all ranks took together; None where a rank could not read its own."""
    return None if None in parts else sum(parts)


def all_or_none(parts: list[Any]) -> Any:
    """The largest; None where a rank could not read its own."""
    return None if None in parts else max(parts)


def _most(values: list[Any]) -> Any:
    return max((value for value in values if value is not None), default=None)


MERGES: dict[str, Callable[[list], Any]] = {
    "rows": lambda parts: parts,  # sample by sample, above
    "own_seconds": lambda parts: parts,
    "checks": worst_checks,
    "again": any,
    "errors": worst_errors,
    "calls": sum_of_each,
    "pool": smallest_pool,
    "room": min,
    **dict.fromkeys(("notes", "libraries", "oracle", "of_baseline"), lambda parts: parts[0]),
    "peak": all_or_none,
    **dict.fromkeys(("joules", "watts"), total_or_none),
    **dict.fromkeys(("held_seconds", "enqueue_seconds", "waits"), most_of_each),
    **dict.fromkeys(("call_seconds", "first_call_seconds", "load_seconds", "setup_seconds"), most_of_each),
    **dict.fromkeys(
        (
            "seconds",
            "floor",
            "repeated",
            "held_sets",
            "draw_seconds",
            "tasks",
            "quantum",
            "reference_seconds",
            "proof_is_left",
        ),
        max,
    ),
}
