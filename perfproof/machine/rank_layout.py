"""Which cores the ranks of a pair get: each its own where there are two or more for each, else all of them for all.

A backend has a thread of its own that looks for messages without pause, also while it waits for another thread of its
rank to let go of a lock. On the only core of a rank it keeps that thread from running: a gloo all-reduce of 32 numbers
took 1.5 to 2.0 ms with one of two cores for each rank, and 0.4 to 0.6 ms with both cores for both. No program that is
left alone runs the first way, so it is not the way to measure.
"""

from perfproof.machine import cgroup, layout

ROOMY = 2  # cores of a rank: one for its work, one for the backend's thread


def rank_threads(ranks: int) -> int:
    """Threads of each rank: an equal share of the cores that affinity and control group allow."""
    quota = cgroup.cpu_quota()
    usable = layout.physical_cores() if quota is None else min(layout.physical_cores(), int(quota))
    return max(1, usable // ranks)


def rank_cpus(ranks: int, threads: int) -> tuple[tuple[int, ...], ...]:
    """The CPUs of each rank, each on a core of its own. The first core stays with the run where one is left for it."""
    found = [min(core) for core in layout.cores()]
    each = max(threads, min(ROOMY, len(found) // ranks))
    free = found[1:] if ranks * each < len(found) else found
    if ranks * each > len(free) or each < ROOMY:
        return (tuple(found),) * ranks
    return tuple(tuple(free[rank * each : (rank + 1) * each]) for rank in range(ranks))


def crowding(cpus: tuple[tuple[int, ...], ...]) -> str:
    """Who has to share cores: the ranks with each other, or one of them with the run; nothing where nobody has to."""
    cores = len(layout.cores())
    if len(set(cpus)) < len(cpus):
        return f"{len(cpus)} ranks, their backends and the run share {cores} {'core' if cores == 1 else 'cores'}"
    return "" if sum(map(len, cpus)) < cores else "the ranks take every core: one of them shares it with the run"
