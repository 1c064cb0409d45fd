"""The whole machine as one document: what `perfproof hw` shows. Takes a second at most and changes nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from perfproof import __version__
from perfproof.core.hardware import Cpu, Gpu, Hardware, InfinibandPort, Limits, Nic, NvLink, Slice, Topology
from perfproof.machine import (
    capability,
    cgroup,
    cuda_attributes,
    cutlass,
    disks,
    facts,
    interconnect,
    isa,
    kernel_files,
    libraries,
    memory,
    network,
    numa,
)
from perfproof.machine.snapshot import snapshot

PCI = "/sys/bus/pci/devices"


def read_hardware(folder: Path | None = None) -> Hardware:
    """Everything about this machine; `folder` (the current one) is where the filesystem is looked at."""
    seen = snapshot(facts.read_facts().device)
    links, slices, matrix = interconnect.read(len(seen["gpus"]))
    gpus = _gpus(seen["gpus"], links, slices)
    nics, ports = network.nics(), network.infiniband()
    found = Hardware(
        perfproof_version=__version__,
        read=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        kind=seen["kind"],
        fingerprint=seen["fingerprint"],
        kernel=seen["kernel"],
        cpu=_cpu(seen["cpu"]),
        memory=memory.read_memory(),
        limits=_limits(seen),
        gpus=gpus,
        why_no_gpu=seen["why_no_gpu"],
        capabilities=_capabilities(gpus),
        disks=disks.disks(),
        folder=disks.filesystem(folder or Path.cwd()),
        nics=nics,
        infiniband=ports,
        software=_software(seen),
        topology=_topology(gpus, [*nics, *ports], matrix),
    )
    return found.model_copy(update={"warnings": sorted(set(strange_fields(found.model_dump())))})


def strange_fields(value: Any, path: str = "") -> Iterator[str]:
    """What was there and could not be understood, by field: absent things are no warning."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from strange_fields(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from strange_fields(inner, path)
    elif isinstance(value, str) and value.endswith(kernel_files.STRANGE):
        yield f"{path}: {value.removeprefix('unknown: ')}"


def _cpu(seen: dict[str, Any]) -> Cpu:
    same = ("cores_physical", "cores_logical", "cores_allowed", "caches_bytes", "governor", "turbo", "smt")
    return Cpu(
        model=seen["model"],
        vendor=isa.vendor(),
        isa=isa.features(),
        vector_bits=isa.vector_bits(),
        virtual_machine=seen["virtual_machine"],
        **{name: seen[name] for name in same},
    )


def _limits(seen: dict[str, Any]) -> Limits:
    return Limits(
        container=seen["container"],
        cgroup=cgroup.version() or "unknown: the kernel shows no control groups",
        cpu_quota=seen["cpu"]["quota_cpus"],
        memory_bytes=seen["memory"]["cgroup_limit_bytes"],
    )


def _gpus(details: list[dict[str, Any]], links: list[NvLink], slices: list[list[Slice]]) -> list[Gpu]:
    attributes = cuda_attributes.read([str(one["pci"]) for one in details])
    found = []
    for one, own, nvlink, parts in zip(details, attributes, links, slices, strict=True):
        others = one["compute_processes"]
        number = float(one["capability"]) if one["capability"] else None
        found.append(
            Gpu(
                **{name: value for name, value in one.items() if name != "compute_processes"},
                **own,
                architecture=capability.architecture(number),
                nvlink=nvlink,
                slices=parts,
                numa_node=numa.node_of_device(f"{PCI}/{one['pci']}"),
                compute_processes=len(others) if isinstance(others, list) else others,
            )
        )
    return found


def _capabilities(gpus: list[Gpu]) -> dict[str, Any]:
    kinds = sorted({gpu.capability for gpu in gpus if gpu.capability})
    return {kind: capability.capabilities(float(kind)) for kind in kinds}


def _software(seen: dict[str, Any]) -> dict[str, Any]:
    absent = "absent"
    return {
        "driver": seen["driver"] or absent,
        "driver_cuda": seen["driver_cuda"] or absent,
        **{name: version or absent for name, version in seen["software"].items()},
        **libraries.versions(),
        "cutlass": cutlass.find() or absent,
    }


def _topology(gpus: list[Gpu], devices: list[Nic | InfinibandPort], matrix: list[list[str]]) -> Topology:
    names = {one.name if isinstance(one, Nic) else one.device: one.numa_node for one in devices}
    return Topology(
        nodes=numa.nodes(),
        cores=numa.cores_by_node(),
        caches=numa.caches(),
        gpus={gpu.index: gpu.numa_node for gpu in gpus},
        nics=names,
        matrix=matrix,
    )
