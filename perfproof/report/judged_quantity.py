"""What a ratio is of, in words. Plain time needs no name; anything else is named beside its figures."""

from collections.abc import Iterable

from perfproof.core.documents import RatioResult

TIME = "time"
CLAIMS = {"startup": "time to start", "memory": "peak memory", "energy": "energy"}
CLOCKS = {"cpu": "CPU time", "kernel": "kernel time", "latency": "latency"}


def quantity_of(judged: RatioResult) -> str:
    """`time`, `CPU time`, `peak memory`, or the name of a metric."""
    if judged.claim == "metric":
        return judged.clock
    return CLAIMS.get(judged.claim) or CLOCKS.get(judged.clock, TIME)


def name_of(judged: RatioResult) -> str:
    """The same; empty for plain time."""
    found = quantity_of(judged)
    return "" if found == TIME else found


def common_name(all_judged: Iterable[RatioResult]) -> str:
    """The name that all of them have; empty if they differ."""
    found = {name_of(judged) for judged in all_judged}
    return found.pop() if len(found) == 1 else ""
