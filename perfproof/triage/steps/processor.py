"""Describe the CPUs and their memory: model, NUMA nodes, governor, SMT, huge pages, boot options that matter."""

from perfproof.machine import cpu, isa, memory, numa
from perfproof.triage.evidence import Evidence

DEADLINE = 8
BOOT = "/proc/cmdline"
TELLING = (  # of the kernel's boot options: those that move performance. The others name disks and hosts.
    "mitigations", "isolcpus", "nohz_full", "rcu_nocbs", "intel_pstate", "amd_pstate", "intel_idle", "processor.",
    "cpuidle", "transparent_hugepage", "hugepages", "default_hugepagesz", "hugepagesz", "iommu", "intel_iommu",
    "amd_iommu", "numa_balancing", "pci", "pcie_aspm", "clocksource", "tsc", "nosmt", "nokaslr", "preempt",
    "irqaffinity",
)  # fmt: skip


def collect(evidence: Evidence) -> None:
    evidence.ask("lscpu", "-J", keep="lscpu.json")
    evidence.ask("numactl", "-H")
    found = {
        "cpu": {**cpu.read_cpu(), "vendor": isa.vendor()},
        "vector_bits": isa.vector_bits(),
        "nodes": [node.model_dump() for node in numa.nodes()],
        "memory": memory.read_memory().model_dump(),
        "boot_options": telling_options(evidence.read(BOOT)),
        "numa_balancing": evidence.read("/proc/sys/kernel/numa_balancing") or "unknown: the kernel does not say",
        "swappiness": evidence.read("/proc/sys/vm/swappiness") or "unknown: the kernel does not say",
    }
    evidence.save("cpu", found)


def telling_options(text: str | None) -> list[str] | str:
    if text is None:
        return f"unknown: {BOOT} cannot be read"
    return sorted(word for word in text.split() if word.startswith(TELLING))
