"""What a machine is, as `perfproof hw` stores and prints it: no host name, no serial number, no address.

A field that could not be read holds a text that begins with "unknown: " and says why; it is never 0. Sizes are in
bytes, clocks in MHz, power in watts.
"""

from typing import Any, ClassVar

from pydantic import Field

from perfproof.core.documents import Document

Flag = bool | str
Number = int | str
Real = float | str


class Cpu(Document):
    model: str
    vendor: str
    cores_physical: int
    cores_logical: int
    cores_allowed: int = Field(description="physical cores this process may use")
    caches_bytes: dict[str, int] = Field(description="of one core's view: L1d, L1i, L2, L3")
    isa: list[str] = Field(description="the instruction sets that decide the speed of arithmetic")
    vector_bits: Number = Field(description="widest vector register")
    governor: str
    turbo: Flag
    smt: Flag
    virtual_machine: Flag


class Node(Document):
    """One NUMA node. A node without CPUs is memory alone: CXL, or the memory of a GPU that shares addresses."""

    node: int
    cpus: str = Field(description="as the kernel writes it: 0-47,96-143")
    memory_bytes: Number
    memory_free_bytes: Number
    distances: dict[int, int] | str = Field(description="to every node; 10 is here")


class Memory(Document):
    total_bytes: Number
    available_bytes: Number
    swap_bytes: Number
    swap_free_bytes: Number
    huge_page_bytes: Number
    huge_pages: Number = Field(description="configured")
    huge_pages_free: Number
    transparent_huge_pages: str


class Limits(Document):
    """What the control group of this process allows."""

    container: bool
    cgroup: str = Field(description="v1, v2, or unknown: why")
    cpu_quota: float | None = Field(description="CPUs' worth of time; null without a limit")
    memory_bytes: int | None


class Slice(Document):
    """A part of a GPU in MIG mode."""

    name: str
    multiprocessors: Number
    memory_bytes: Number


class NvLink(Document):
    links: Number = Field(description="links of this GPU that the driver shows")
    active: Number
    version: str
    peers: list[str] = Field(description="what the active links lead to, each once: GPU 1, switch, ...")


class Gpu(Document):
    index: int
    name: str
    uuid_sha256: str = Field(description="twelve digits of a hash: tells two GPUs apart, and nothing else")
    architecture: str
    capability: str | None
    multiprocessors: Number
    memory_bytes: Number
    memory_used_bytes: Number
    memory_bus_bits: Number
    l2_bytes: Number
    shared_memory_per_sm_bytes: Number
    registers_per_sm: Number
    clock_sm_mhz: Number
    clock_sm_max_mhz: Number
    clock_memory_mhz: Number
    clock_memory_max_mhz: Number
    power_watts: Real
    power_limit_watts: Real
    temperature_celsius: Number
    utilisation_percent: Number = Field(description="share of time with any kernel on it; not how full it was")
    pcie_generation: Number
    pcie_generation_max: Number
    pcie_width: Number
    pcie_width_max: Number
    nvlink: NvLink
    mig: Flag
    slices: list[Slice]
    ecc: Flag
    persistence: Flag
    event_reasons: list[str] | str = Field(description="why the clocks are where they are")
    numa_node: Number
    pci: str
    compute_processes: Number = Field(description="how many others compute on it")


class Capability(Document):
    """Whether a GPU has a feature of the programming model, and where that is written."""

    feature: str
    supported: Flag
    note: str = ""
    source: str


class Disk(Document):
    name: str
    model: str
    rotational: Flag
    size_bytes: Number
    scheduler: str


class Filesystem(Document):
    """Where the current folder lies: what a benchmark that reads or writes files there meets."""

    type: str
    device: str
    options: list[str]
    size_bytes: Number
    free_bytes: Number


class Nic(Document):
    name: str
    state: str
    speed_mbit: Number
    mtu: Number
    driver: str
    numa_node: Number


class InfinibandPort(Document):
    device: str
    port: int
    state: str
    rate_gbit: Real
    rate: str
    link_layer: str
    firmware: str
    numa_node: Number


class Topology(Document):
    """How the parts lie to each other."""

    nodes: list[Node]
    cores: dict[int, list[str]] = Field(description="node -> its cores, each as its logical CPUs: 0,48")
    caches: dict[str, list[str]] = Field(description="L3 -> the CPUs of each instance")
    gpus: dict[int, Number] = Field(description="GPU -> its node")
    nics: dict[str, Number] = Field(description="network device -> its node")
    matrix: list[list[str]] = Field(description="GPU to GPU: X, NV18, PIX, PXB, PHB, NODE, SYS")


class Binding(Document):
    """How to start a program beside a GPU, or on a NUMA node of a machine without GPUs."""

    gpu: int | None = None
    node: int | None = None
    cpus: str = Field("", description="those of the node that this process may use: 0-47,96-143")
    numactl: str = Field("", description="binds CPUs and memory")
    taskset: str = Field("", description="binds CPUs; memory follows where a thread first touches it")
    why: str = Field("", description="why there is no line")


class Hardware(Document):
    schema_name: ClassVar[str] = "hardware"

    schema_version: int = 1
    perfproof_version: str
    read: str = Field(description="when, in UTC")
    kind: str = Field(description="the short name under which results of like machines are kept together")
    fingerprint: str
    kernel: str
    cpu: Cpu
    memory: Memory
    limits: Limits
    gpus: list[Gpu]
    why_no_gpu: str = ""
    capabilities: dict[str, list[Capability]] = Field(description="compute capability -> its features")
    disks: list[Disk]
    folder: Filesystem
    nics: list[Nic]
    infiniband: list[InfinibandPort]
    software: dict[str, Any]
    topology: Topology
    warnings: list[str] = Field(default_factory=list, description="what was read in a form that is not known")
