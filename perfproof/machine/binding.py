"""Which CPUs and which memory a program should use beside each GPU, as the line that starts it there.

A program on another socket than its GPU sends every copy and every launch over the link between the sockets.
"""

import shlex

from perfproof.core.hardware import Binding, Hardware, Node
from perfproof.machine import kernel_files, layout

COMMAND = "python train.py"


def bindings(found: Hardware, command: str = "") -> list[Binding]:
    """One line per GPU; without GPUs one per NUMA node that has CPUs."""
    allowed = layout.allowed_cpus()
    with_cpus = [node for node in found.topology.nodes if kernel_files.parse_cpu_list(node.cpus) & allowed]
    started = command or COMMAND
    if not found.gpus:
        return [_binding(None, node, started, allowed) for node in with_cpus]
    return [_of_gpu(gpu.index, gpu.numa_node, found.topology.nodes, with_cpus, started, allowed) for gpu in found.gpus]


def _of_gpu(
    gpu: int, place: int | str, nodes: list[Node], with_cpus: list[Node], command: str, allowed: set[int]
) -> Binding:
    if isinstance(place, str):
        return Binding(gpu=gpu, why=place)
    nearest = _nearest(place, nodes, with_cpus)
    if nearest is None:
        return Binding(
            gpu=gpu, why=f"no CPU that this process may use is on node {place} or has a known distance to it"
        )
    return _binding(gpu, nearest, command, allowed)


def _nearest(place: int, nodes: list[Node], with_cpus: list[Node]) -> Node | None:
    """The GPU's own node, or the closest that has CPUs: the memory of a Grace Hopper GPU is a node without any."""
    own = next((node for node in with_cpus if node.node == place), None)
    if own is not None:
        return own
    distances = next((node.distances for node in nodes if node.node == place), None)
    if not isinstance(distances, dict):
        return None
    return min(with_cpus, key=lambda node: distances.get(node.node, 255), default=None)


def _binding(gpu: int | None, node: Node, command: str, allowed: set[int]) -> Binding:
    cpus = kernel_files.parse_cpu_list(node.cpus) & allowed
    listed = _ranges(sorted(cpus))
    only = "" if gpu is None else f"CUDA_VISIBLE_DEVICES={gpu} "
    whole = cpus == kernel_files.parse_cpu_list(node.cpus)
    place = f"--cpunodebind={node.node}" if whole else f"--physcpubind={listed}"
    return Binding(
        gpu=gpu,
        node=node.node,
        cpus=listed,
        numactl=f"{only}numactl {place} --membind={node.node} {command}",
        taskset=f"{only}taskset --cpu-list {listed} {command}",
    )


def quoted(words: list[str]) -> str:
    return " ".join(map(shlex.quote, words))


def _ranges(cpus: list[int]) -> str:
    """As the kernel and taskset write it: 0-3,8."""
    parts: list[list[int]] = []
    for cpu in cpus:
        if parts and cpu == parts[-1][-1] + 1:
            parts[-1][1:] = [cpu]
        else:
            parts.append([cpu])
    return ",".join("-".join(map(str, part)) for part in parts)
