"""What is known of a pair's own kernels, as lines of text: their resources, and what compute-sanitizer found."""

from perfproof.core import units
from perfproof.core.documents import KernelResources, Run, Sanitized, TargetResult

UNKNOWN = "–"


def sanitizer_lines(run: Run) -> list[str]:
    """A line per target and tool, and the first errors below it."""
    lines = []
    for target in run.targets:
        for one in target.sanitizers:
            lines.append(f"{target.target}: {one.tool} {verdict_words(one)}")
            lines += [f"    {report}" for report in one.reports]
    return lines


def verdict_words(one: Sanitized) -> str:
    if one.result == "not-run":
        return f"not run: {one.detail}"
    return f"{'passed' if one.result == 'pass' else 'failed'} ({one.summary})"


def resource_lines(run: Run) -> list[str]:
    return [resource_line(target, one) for target in run.targets for one in target.kernel_resources]


def resource_line(target: TargetResult, one: KernelResources) -> str:
    side = f" {one.side}" if one.side else ""
    occupancy = f", {occupancy_words(one)}" if one.occupancy is not None else ""
    return (
        f"{target.target}{side} {one.kernel} ({one.architecture}): {one.registers} registers, "
        f"shared memory {shared_words(one)}, spills {spill_words(one)}{occupancy}"
    )


def shared_words(one: KernelResources) -> str:
    return units.binary_bytes(one.static_shared + (one.dynamic_shared or 0))


def spill_words(one: KernelResources) -> str:
    """Bytes stored and loaded; a compiler that does not tell spills from arrays has local memory only."""
    if one.spill_stores is None or one.spill_loads is None:
        return f"at most {units.binary_bytes(one.local)} per thread" if one.local else "0 B"
    if not one.spill_stores and not one.spill_loads:
        return "0 B"
    return f"{units.binary_bytes(one.spill_stores)} stored, {units.binary_bytes(one.spill_loads)} loaded"


def occupancy_words(one: KernelResources) -> str:
    if one.occupancy is None or one.block is None:
        return UNKNOWN
    threads = one.block[0] * one.block[1] * one.block[2]
    return f"occupancy {units.percent(one.occupancy, 0)} ({one.blocks_per_sm} blocks of {threads} per multiprocessor)"
