"""The cores of ranks: apart where they can be, and said where they cannot."""

import pytest

from perfproof.machine import cgroup, layout, rank_layout


@pytest.fixture
def cores(monkeypatch):
    def pretend(count, quota=None):
        monkeypatch.setattr(layout, "cores", lambda cpus=None: [{cpu, cpu + count} for cpu in range(count)])
        monkeypatch.setattr(cgroup, "cpu_quota", lambda: quota)

    return pretend


@pytest.mark.parametrize(
    ("count", "ranks", "threads", "cpus", "said"),
    [
        (1, 2, 1, ((0,), (0,)), "2 ranks, their backends and the run share 1 core"),
        (2, 2, 1, ((0, 1), (0, 1)), "2 ranks, their backends and the run share 2 cores"),
        (3, 2, 1, ((0, 1, 2), (0, 1, 2)), "2 ranks, their backends and the run share 3 cores"),
        (4, 2, 2, ((0, 1), (2, 3)), "the ranks take every core: one of them shares it with the run"),
        (5, 2, 2, ((1, 2), (3, 4)), ""),
        (3, 4, 1, ((0, 1, 2),) * 4, "4 ranks, their backends and the run share 3 cores"),
        (8, 2, 4, ((0, 1, 2, 3), (4, 5, 6, 7)), "the ranks take every core: one of them shares it with the run"),
    ],
)
def test_ranks_have_cores_of_their_own_where_there_are_enough(cores, count, ranks, threads, cpus, said):
    cores(count)
    assert rank_layout.rank_threads(ranks) == threads
    assert rank_layout.rank_cpus(ranks, threads) == cpus
    assert rank_layout.crowding(cpus).startswith(said) and bool(rank_layout.crowding(cpus)) == bool(said)


def test_one_thread_still_leaves_a_core_for_the_backend(cores):
    cores(8)
    assert rank_layout.rank_cpus(2, 1) == ((1, 2), (3, 4))


def test_a_ration_of_processor_time_limits_the_threads(cores):
    cores(8, quota=4.5)
    assert rank_layout.rank_threads(2) == 2
