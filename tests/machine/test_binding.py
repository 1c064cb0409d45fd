"""The line that starts a program beside a GPU: only CPUs that may be used, and the nearest node that has any."""

from types import SimpleNamespace

import pytest

from perfproof.core.hardware import Node
from perfproof.machine import binding, layout


def node(number, cpus, distances=None):
    distances = distances or "unknown: x"
    return Node(node=number, cpus=cpus, memory_bytes=0, memory_free_bytes=0, distances=distances)


def machine(nodes, *gpus):
    found = [SimpleNamespace(index=index, numa_node=place) for index, place in enumerate(gpus)]
    return SimpleNamespace(gpus=found, topology=SimpleNamespace(nodes=nodes))


@pytest.fixture
def allow(monkeypatch):
    def install(*cpus):
        monkeypatch.setattr(layout, "allowed_cpus", lambda: set(cpus))

    return install


def test_a_process_that_may_use_a_part_of_a_node_gets_that_part(allow):
    allow(2, 3, 5)
    (line,) = binding.bindings(machine([node(0, "0-3"), node(1, "4-7")], 0))
    assert line.cpus == "2-3" and "--physcpubind=2-3 --membind=0" in line.numactl


def test_a_gpu_whose_node_is_memory_alone_uses_the_nearest_cpus(allow):
    allow(*range(8))
    nodes = [node(0, "0-3"), node(1, "4-7"), node(2, "", {0: 80, 1: 40, 2: 10})]
    (line,) = binding.bindings(machine(nodes, 2))
    assert (line.node, line.cpus) == (1, "4-7")


def test_a_gpu_without_a_known_node_gets_a_reason_and_no_line(allow):
    allow(0, 1)
    nodes = [node(0, "0"), node(1, "1")]
    unknown, nowhere = binding.bindings(machine(nodes, "unknown: the device shows no node", 5))
    assert not unknown.numactl and "no node" in unknown.why
    assert not nowhere.taskset and "node 5" in nowhere.why


@pytest.mark.parametrize(("cpus", "text"), [([0, 1, 2, 5, 7, 8], "0-2,5,7-8"), ([4], "4"), ([], "")])
def test_cpus_are_written_as_the_kernel_writes_them(cpus, text):
    assert binding._ranges(cpus) == text
