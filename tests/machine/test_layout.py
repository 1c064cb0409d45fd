"""Which cores a worker gets, on machines of several shapes."""

import pytest

from perfproof.core.units import KiB, MiB
from perfproof.machine import cgroup, layout


@pytest.fixture
def four_cores_with_siblings(machine):
    machine.allow(*range(8))
    for cpu in range(4):
        machine.core(cpu, cpu + 4)


def test_siblings_are_one_core(four_cores_with_siblings):
    assert layout.physical_cores() == 4
    assert layout.cores()[1] == {1, 5}


def test_a_worker_leaves_the_first_core_to_the_system(four_cores_with_siblings):
    assert layout.worker_cpus(1) == {1}
    assert layout.worker_cpus(3) == {1, 2, 3}


def test_a_worker_that_wants_every_core_gets_one_cpu_of_each(four_cores_with_siblings):
    assert layout.worker_cpus(4) == {0, 1, 2, 3}
    assert layout.worker_cpus(8) == set(range(8))


def test_one_core_is_shared_because_there_is_no_other(machine):
    machine.allow(3)
    assert layout.worker_cpus(1) == {3}
    assert layout.default_threads() == 1


def test_only_allowed_cpus_count(machine):
    machine.allow(2, 3)
    machine.core(2, 6)
    machine.core(3, 7)
    assert layout.worker_cpus(1) == {3}
    assert layout.default_threads() == 1


def test_threads_are_all_cores_but_one_within_the_quota(four_cores_with_siblings, monkeypatch):
    assert layout.default_threads() == 3
    monkeypatch.setattr(cgroup, "cpu_quota", lambda: 2.5)
    assert layout.default_threads() == 1


def test_cores_of_one_node_stay_together(machine):
    machine.allow(0, 1, 2, 3)
    for cpu in range(4):
        machine.core(cpu, node=cpu % 2)
    assert [min(core) for core in layout.cores()] == [0, 2, 1, 3]
    assert layout.worker_cpus(1) == {2}


def test_caches_of_all_instances_in_reach_are_added(machine):
    machine.allow(0, 1, 2)
    for cpu, shared in ((0, "0-1"), (1, "0-1"), (2, "2-3")):
        machine.cache(cpu, 0, 1, "Data", "48K", str(cpu))
        machine.cache(cpu, 1, 3, "Unified", "32768K", shared)
    assert layout.last_level_cache_bytes() == 64 * MiB
    assert layout.last_level_cache_bytes({0, 1}) == 32 * MiB


def test_an_instruction_cache_is_no_last_level(machine):
    machine.allow(0)
    machine.cache(0, 0, 1, "Data", "32K", "0")
    machine.cache(0, 1, 1, "Instruction", "64K", "0")
    assert layout.last_level_cache_bytes() == 32 * KiB


def test_an_unknown_cache_is_none_not_zero(machine, monkeypatch):
    machine.allow(0)
    monkeypatch.setenv("PATH", "")
    assert layout.last_level_cache_bytes() is None


@pytest.mark.parametrize(("text", "size"), [("2048K", 2 * MiB), ("1M", MiB), ("64", 64), ("0K", None), ("", None)])
def test_cache_sizes_are_read_as_the_kernel_writes_them(text, size):
    assert layout.parse_size(text) == size


def test_a_kernel_that_lists_no_nodes_has_one(machine):
    machine.allow(0, 1)
    assert layout.numa_nodes() == 1
    machine("/sys/devices/system/node/node0/cpulist", "0")
    machine("/sys/devices/system/node/node1/cpulist", "1")
    assert layout.numa_nodes() == 2


def test_this_machine_has_a_core_and_a_thread():
    assert layout.physical_cores() >= 1
    assert layout.default_threads() >= 1
    assert layout.worker_cpus(1) <= layout.allowed_cpus()
