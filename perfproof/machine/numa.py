"""NUMA: which CPUs and how much memory each node has, how far the nodes are apart, and where a device sits."""

import re

from perfproof.core.hardware import Node
from perfproof.core.units import KiB
from perfproof.machine import kernel_files, layout


def nodes() -> list[Node]:
    """Every node the kernel shows; none where it shows none."""
    numbers = sorted(int(name.removeprefix("node")) for name in kernel_files.names(layout.NODES, "node[0-9]*"))
    return [_node(number, numbers) for number in numbers]


def node_of_device(folder: str) -> int | str:
    """The node next to a PCI device, from its folder under /sys; with one node there is no choice."""
    node = kernel_files.read_int(f"{folder}/numa_node")
    if node is not None and node >= 0:
        return node
    if layout.numa_nodes() == 1:
        return 0
    return "unknown: the kernel gives the device no node" if node == -1 else "unknown: the device shows no node"


def caches() -> dict[str, list[str]]:
    """Instances of each shared level: {"L3": ["0-47", "48-95"]}; what belongs to one core alone is left out."""
    found: dict[str, set[str]] = {}
    cores = [core for core in layout.cores(layout.allowed_cpus()) if core]
    for core in cores:
        for cache in layout.caches_of(min(core)):
            if kernel_files.parse_cpu_list(cache["shared"]) - core:
                found.setdefault(f"L{cache['level']}", set()).add(cache["shared"])
    return {level: sorted(instances, key=_first) for level, instances in sorted(found.items())}


def cores_by_node() -> dict[int, list[str]]:
    """The cores this process may use, as their logical CPUs: {0: ["0,48", "1,49"]}."""
    found: dict[int, list[str]] = {}
    for core in layout.cores():
        found.setdefault(layout.node_of(min(core)), []).append(",".join(map(str, sorted(core))))
    return found


def parse_distances(text: str | None, numbers: list[int]) -> dict[int, int] | str:
    """A node's line of the distance table, one number for each online node in their order."""
    if text is None:
        return "unknown: the kernel shows no distances"
    values = text.split()
    if len(values) != len(numbers) or not all(re.fullmatch(r"[0-9]{1,3}", value) for value in values):
        return kernel_files.strange("the table of distances")
    return dict(zip(numbers, map(int, values), strict=True))


def parse_node_memory(text: str | None, field: str) -> int | str:
    """Bytes from a node's meminfo: "Node 0 MemTotal:       14771080 kB"."""
    if text is None:
        return "unknown: the node shows no meminfo"
    match = re.search(rf"^Node [0-9]+ {field}:\s+([0-9]{{1,15}}) kB\s*$", text, re.MULTILINE)
    return int(match[1]) * KiB if match else kernel_files.strange(f"{field} of the node's meminfo")


def _node(number: int, numbers: list[int]) -> Node:
    folder = f"{layout.NODES}/node{number}"
    memory = kernel_files.read_text(f"{folder}/meminfo")
    return Node(
        node=number,
        cpus=kernel_files.read_text(f"{folder}/cpulist") or "",
        memory_bytes=parse_node_memory(memory, "MemTotal"),
        memory_free_bytes=parse_node_memory(memory, "MemFree"),
        distances=parse_distances(kernel_files.read_text(f"{folder}/distance"), numbers),
    )


def _first(cpus: str) -> int:
    return min(kernel_files.parse_cpu_list(cpus), default=0)
