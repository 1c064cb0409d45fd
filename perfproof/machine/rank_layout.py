"""Which cores the ranks of a pair get: each its own, and two of its own where there are enough.

A backend has a thread of its own that looks for messages without pause. On the only core of its rank it holds up the
rank's other threads: a gloo all-reduce of 32 numbers took 1.5 to 1.8 ms with one core for each of two ranks, and 0.9 to
1.0 ms with both cores for both of them. They are pinned all the same: ranks that move about start 0.1 ms apart on a
busy machine, pinned ones 1 µs, and a sample that begins unevenly measures that.
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
    places = [[(rank * each + core) % len(free) for core in range(each)] for rank in range(ranks)]
    return tuple(tuple(sorted({free[at] for at in own})) for own in places)


def crowding(cpus: tuple[tuple[int, ...], ...]) -> str:
    """Who has to share cores: ranks with each other, a rank with its backend, one with the run; or nothing."""
    taken, cores = [cpu for own in cpus for cpu in own], len(layout.cores())
    if len(set(taken)) < len(taken):
        return f"{len(cpus)} ranks share {cores} {'core' if cores == 1 else 'cores'}"
    said = ["each rank has one core for its work and for its backend"] if len(taken) < ROOMY * len(cpus) else []
    said += ["one of them shares it with the run"] if len(taken) == cores else []
    return "; ".join(said)
