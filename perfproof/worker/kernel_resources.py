"""Registers, shared memory, spills and occupancy of the kernels that a side has launched.

They are found by what stands in the side's file: kernels of a .cu (`perfproof.cuda`), and functions of Triton.
Kernels of libraries are not among them: a library does not say.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import torch

from perfproof.worker.load import Side

REGISTERS_AT_ONCE, SHARED_AT_ONCE, OWN_SHARED = 256, 128, 1024  # per warp, per block, and what a block takes for itself
MOST_BLOCKS = 32  # of a multiprocessor


def kernel_resources(side: Side) -> list[dict[str, Any]]:
    """A record for each kernel and block size, as the document has them."""
    known = getattr(inspect.unwrap(side.function), "__globals__", {})
    found: list[dict[str, Any]] = []
    for value in {id(one): one for one in known.values() if _has_kernels(one)}.values():  # a name may have two
        found += _of_cuda(value) if _is_cuda(value) else _of_triton(value)
    return [{"side": side.name, **one} for one in found]


def _has_kernels(value: Any) -> bool:
    return _is_cuda(value) or (type(value).__name__ == "JITFunction" and hasattr(value, "device_caches"))


def _is_cuda(value: Any) -> bool:
    return type(value).__module__ == "perfproof.cuda.kernels" and hasattr(type(value), "kernel_launches")


def _of_cuda(kernels: Any) -> Iterator[dict[str, Any]]:
    for launched in kernels.kernel_launches():
        taken = launched.resources
        yield {
            "kernel": launched.kernel,
            "architecture": taken.binary,
            "registers": taken.registers,
            "static_shared": taken.static_shared,
            "local": taken.local,
            "spill_stores": taken.spill_stores,
            "spill_loads": taken.spill_loads,
            "dynamic_shared": launched.dynamic_shared,
            "block": list(launched.block),
            "blocks_per_sm": launched.blocks_per_sm,
            "occupancy": launched.occupancy,
        }


def _of_triton(function: Any) -> Iterator[dict[str, Any]]:
    """Triton says registers and local memory of a kernel once it was loaded; its shared memory is all dynamic."""
    for caches in function.device_caches.values():
        for kernel in caches[0].values():
            registers, spilled = getattr(kernel, "n_regs", None), getattr(kernel, "n_spills", None)
            if registers is None or spilled is None:
                continue  # compiled, never launched
            threads, shared = kernel.metadata.num_warps * 32, kernel.metadata.shared
            properties = torch.cuda.get_device_properties()
            blocks = resident_blocks(registers, threads, shared, properties)
            yield {
                "kernel": kernel.name,
                "architecture": f"sm_{kernel.metadata.target.arch}",
                "registers": registers,
                "static_shared": 0,
                "local": 4 * spilled,  # it counts words
                "dynamic_shared": shared,
                "block": [threads, 1, 1],
                "blocks_per_sm": blocks,
                "occupancy": blocks * threads / properties.max_threads_per_multi_processor,
            }


def resident_blocks(registers: int, threads: int, shared: int, properties: Any) -> int:
    """Blocks that fit on a multiprocessor: the least of what threads, registers and shared memory allow."""
    warps = -(-threads // 32)
    of_warp = -(-registers * 32 // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    of_block = -(-(shared + OWN_SHARED) // SHARED_AT_ONCE) * SHARED_AT_ONCE
    by_registers = properties.regs_per_multiprocessor // of_warp // warps if registers else MOST_BLOCKS
    by_shared = properties.shared_memory_per_multiprocessor // of_block
    return min(properties.max_threads_per_multi_processor // (32 * warps), by_registers, by_shared, MOST_BLOCKS)
