"""The pages of `perfproof hw`: one readable page, everything, and how the parts lie to each other. From a document."""

from collections.abc import Iterator
from typing import Any

from perfproof.cli.width import text_width
from perfproof.core.hardware import Binding, Gpu, Hardware, Topology
from perfproof.core.units import binary_bytes
from perfproof.report.text import aligned, hung

LABEL = 12  # width of the names at the left


def summary(found: Hardware) -> str:
    """What a person asks first, one line a thing."""
    lines = [*_machine_lines(found), *_gpu_lines(found), *_storage_lines(found), *_software_lines(found)]
    lines += [_line("warning", text) for text in found.warnings]
    return "\n".join([*lines, "", "more: perfproof hw dump, hw topology, doctor"])


def dump(value: Any, indent: int = 0) -> str:
    """Every field of a document as an indented outline."""
    return "\n".join(_outline(value, indent))


def topology(found: Hardware) -> str:
    """Nodes with what belongs to each, the distances between them, and the matrix of GPUs."""
    lie = found.topology
    blocks = [_node_block(found, lie), _distances(lie), _shared_caches(lie), _matrix(lie)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def shown(value: Any, unit: str = "") -> str:
    """A value with its unit; what is unknown stays as it was written."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, str) and value.startswith("unknown"):
        return value
    if unit == "B":
        return binary_bytes(value)
    return f"{value:g} {unit}".strip() if isinstance(value, float) else f"{value} {unit}".strip()


def _machine_lines(found: Hardware) -> Iterator[str]:
    cpu, memory, limits = found.cpu, found.memory, found.limits
    yield _line("machine", f"{found.kind}, {found.kernel}{', in a container' if limits.container else ''}")
    yield _line("CPU", f"{cpu.model} ({cpu.vendor}), {cpu.cores_physical} cores, {cpu.cores_logical} logical")
    yield _line("", ", ".join(f"{name} {binary_bytes(size)}" for name, size in cpu.caches_bytes.items()))
    yield _line("", f"vectors of {shown(cpu.vector_bits, 'bits')}: {_isa(cpu.isa)}")
    yield _line("", f"governor {cpu.governor}; SMT {shown(cpu.smt)}; virtual machine {shown(cpu.virtual_machine)}")
    yield _line("memory", f"{shown(memory.total_bytes, 'B')}, {shown(memory.available_bytes, 'B')} available")
    pages = f"huge pages {shown(memory.huge_pages)}, transparent {memory.transparent_huge_pages}"
    yield _line("", f"swap {shown(memory.swap_bytes, 'B')}; {pages}")
    quota = "no CPU limit" if limits.cpu_quota is None else f"{limits.cpu_quota:.1f} CPUs"
    room = "no memory limit" if limits.memory_bytes is None else binary_bytes(limits.memory_bytes)
    yield _line("limits", f"cgroup {limits.cgroup}: {quota}, {room}")
    nodes = found.topology.nodes
    yield _line("NUMA", f"{len(nodes) or 1} node{'s' if len(nodes) > 1 else ''}")


def _gpu_lines(found: Hardware) -> Iterator[str]:
    if not found.gpus:
        yield _line("GPU", f"none: {found.why_no_gpu}")
    for gpu in found.gpus:
        yield from _one_gpu(gpu)
    for kind, rows in found.capabilities.items():
        unknown = next((row.supported for row in rows if isinstance(row.supported, str)), None)
        if unknown:
            yield _line(f"sm {kind}", unknown)
            continue
        has = ", ".join(row.feature for row in rows if row.supported is True)
        lacks = ", ".join(row.feature for row in rows if row.supported is False)
        yield _line(f"sm {kind}", f"has {has}")
        if lacks:
            yield _line("", f"lacks {lacks}")


def _one_gpu(gpu: Gpu) -> Iterator[str]:
    yield _line(f"GPU {gpu.index}", f"{gpu.name}, {gpu.architecture}, compute capability {shown(gpu.capability)}")
    size = f"{shown(gpu.memory_bytes, 'B')} memory, L2 {shown(gpu.l2_bytes, 'B')}"
    yield _line("", f"{shown(gpu.multiprocessors, 'SMs')}, {size}")
    clocks = f"SM {shown(gpu.clock_sm_mhz)} of {shown(gpu.clock_sm_max_mhz, 'MHz')}"
    yield _line("", f"{clocks}, memory {shown(gpu.clock_memory_mhz)} of {shown(gpu.clock_memory_max_mhz, 'MHz')}")
    power = f"{shown(gpu.power_watts)} of {shown(gpu.power_limit_watts, 'W')}, {shown(gpu.temperature_celsius, '°C')}"
    reasons = gpu.event_reasons if isinstance(gpu.event_reasons, str) else ", ".join(gpu.event_reasons) or "none"
    yield _line("", f"{power}; clock event reasons: {reasons}")
    now = f"{shown(gpu.pcie_generation)} x{shown(gpu.pcie_width)}"
    most = f"{shown(gpu.pcie_generation_max)} x{shown(gpu.pcie_width_max)}"
    link = gpu.nvlink
    nvlink = f"NVLink {shown(link.active)} of {shown(link.links)} active, version {shown(link.version)}"
    yield _line("", f"PCIe {now} now, {most} at most; {nvlink if link.links else 'no NVLink'}")
    settings = f"ECC {shown(gpu.ecc)}, persistence {shown(gpu.persistence)}, MIG {shown(gpu.mig)}"
    yield _line("", f"{settings}; NUMA node {shown(gpu.numa_node)}; id {gpu.uuid_sha256}")
    for part in gpu.slices:
        yield _line("", f"slice {part.name}: {shown(part.multiprocessors, 'SMs')}, {shown(part.memory_bytes, 'B')}")


def _storage_lines(found: Hardware) -> Iterator[str]:
    for disk in found.disks:
        turns = disk.rotational
        kind = turns if isinstance(turns, str) else "rotating" if turns else "solid state"
        yield _line("disk", f"{disk.name}: {disk.model}, {shown(disk.size_bytes, 'B')}, {kind}, {disk.scheduler}")
    folder = found.folder
    options = f" ({', '.join(folder.options)})" if folder.options else ""
    yield _line("this folder", f"{folder.type} on {folder.device}{options}, {shown(folder.free_bytes, 'B')} free")
    for nic in found.nics:
        speed = shown(nic.speed_mbit, "Mbit/s")
        yield _line("network", f"{nic.name}: {nic.state}, {speed}, MTU {shown(nic.mtu)}, {nic.driver}")
    for port in found.infiniband:
        yield _line("InfiniBand", f"{port.device} port {port.port}: {port.state}, {port.rate}, {port.link_layer}")


def _software_lines(found: Hardware) -> Iterator[str]:
    present = {name: value for name, value in found.software.items() if not str(value).startswith("absent")}
    cutlass = present.pop("cutlass", None)
    absent = [name for name in found.software if name not in present and name != "cutlass"]
    text = ", ".join(f"{name} {value}" for name, value in present.items())
    yield _line("software", text)
    if absent:
        yield _line("", f"absent: {', '.join(absent)}")
    yield _line("CUTLASS", "not found" if cutlass is None else ", ".join(f"{k} {v}" for k, v in cutlass.items()))


def bindings(found: Hardware, lines: list[Binding]) -> str:
    """One block per GPU: where it is, then the lines to start a program there."""
    shown_lines = [] if found.gpus else [f"GPU none: {found.why_no_gpu}; one line for each NUMA node"]
    names = {gpu.index: gpu.name for gpu in found.gpus}
    for line in lines:
        what = f"node {line.node}" if line.gpu is None else f"GPU {line.gpu} ({names[line.gpu]})"
        if line.why:
            shown_lines.append(f"{what}: {line.why.removeprefix('unknown: ')}")
            continue
        where = "" if line.gpu is None else f", node {line.node}"
        shown_lines += [f"{what}{where}, CPUs {line.cpus}", f"  {line.numactl}", f"  {line.taskset}"]
    if len({line.node for line in lines if line.node is not None}) == 1:
        shown_lines.append("one NUMA node: binding keeps threads from moving, and memory is equally near everywhere")
    return "\n".join(shown_lines)


def _node_block(found: Hardware, lie: Topology) -> list[str]:
    lines = []
    for node in lie.nodes:
        cores = lie.cores.get(node.node, [])
        held = [f"GPU {number}" for number, where in lie.gpus.items() if where == node.node]
        held += [name for name, where in lie.nics.items() if where == node.node]
        lines.append(f"┌ node {node.node}: {shown(node.memory_bytes, 'B')}, {shown(node.memory_free_bytes, 'B')} free")
        cpus = f"CPUs {node.cpus}, {len(cores)} cores usable" if node.cpus else "no CPUs: memory alone"
        lines.append(f"│   {cpus}")
        lines.append(f"└   {', '.join(held) or 'no GPU and no network device'}")
    nowhere = [f"GPU {n}: {where}" for n, where in lie.gpus.items() if isinstance(where, str)]
    nowhere += [f"{name}: {where}" for name, where in lie.nics.items() if isinstance(where, str)]
    if not lie.nodes:
        lines.append("the kernel shows no NUMA nodes: one memory for all")
    return [*lines, *(f"  {text}" for text in nowhere), *([f"GPU none: {found.why_no_gpu}"] if not found.gpus else [])]


def _distances(lie: Topology) -> list[str]:
    if len(lie.nodes) < 2:
        return []
    numbers = [node.node for node in lie.nodes]
    rows = [["distance", *(f"node {number}" for number in numbers)]]
    for node in lie.nodes:
        known = node.distances if isinstance(node.distances, dict) else {}
        rows.append([f"node {node.node}", *(str(known.get(number, "?")) for number in numbers)])
    return aligned(rows)


def _shared_caches(lie: Topology) -> list[str]:
    return [f"{level} shared by CPUs {' | '.join(instances)}" for level, instances in lie.caches.items()]


def _matrix(lie: Topology) -> list[str]:
    if len(lie.matrix) < 2:
        return []
    names = [f"GPU {number}" for number in lie.gpus]
    short = [["?" if path.startswith("unknown") else path for path in row] for row in lie.matrix]
    table = aligned([["", *names], *([name, *row] for name, row in zip(names, short, strict=True))])
    why = sorted({path for row in lie.matrix for path in row if path.startswith("unknown")})
    legend = "NV# NVLink links; PIX one PCIe switch, PXB several; PHB host bridge; NODE within, SYS across NUMA nodes"
    return [*table, legend, *(f"? {text}" for text in why)]


def _outline(value: Any, indent: int) -> Iterator[str]:
    margin = "  " * indent
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, dict | list) and inner and not _is_flat(inner):
            yield f"{margin}{key}:"
            yield from _outline(inner, indent + 1)
        else:
            yield f"{margin}{key}: {_flat(inner)}"


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and all(not isinstance(one, dict | list) for one in value)


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None or value == {} else shown(value)


def _isa(names: list[str]) -> str:
    return ", ".join(names) if names else "none named"


def _line(label: str, text: str) -> str:
    return "\n".join(hung(f"{label:{LABEL - 2}}", text, text_width()))
