"""Registers, shared memory and occupancy of what a side launched, from objects shaped as those of Triton and ours."""

from types import SimpleNamespace

import pytest
import torch

from perfproof.core.documents import KernelResources
from perfproof.cuda import Resources
from perfproof.cuda.kernels import Kernels
from perfproof.cuda.launching import Launched
from perfproof.worker.kernel_resources import kernel_resources, resident_blocks
from perfproof.worker.load import Side

HOPPER = SimpleNamespace(
    regs_per_multiprocessor=65_536, shared_memory_per_multiprocessor=233_472, max_threads_per_multi_processor=2_048
)


class JITFunction:
    """As triton.runtime.jit has it: compiled kernels by device, the first of five parts."""

    def __init__(self, *kernels):
        self.device_caches = {0: (dict(enumerate(kernels)), {}, None, None, None)}


def side(**known):
    scope = dict(known)
    exec("def function(x):\n    return x", scope)
    return Side("optimized", scope["function"], None)


def test_a_kernel_of_a_cu_file_is_recorded_as_it_was_launched(monkeypatch):
    taken = Resources("sm_90a", 40, 16_896, 0, 0, 0)
    launched = Launched("average<1>", taken, (128, 1, 1), 0, 12, 0.75)
    monkeypatch.setattr(Kernels, "kernel_launches", lambda self: [launched])
    kernels = Kernels.__new__(Kernels)
    (found,) = kernel_resources(side(kernels=kernels, same=kernels, other=torch.ones(2)))
    document = KernelResources(**found)
    assert (document.side, document.kernel, document.registers) == ("optimized", "average<1>", 40)
    assert (document.static_shared, document.spill_stores, document.occupancy) == (16_896, 0, 0.75)


def test_a_triton_kernel_is_recorded_if_it_was_launched(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda *_: HOPPER)
    target = SimpleNamespace(arch=90)
    metadata = SimpleNamespace(num_warps=4, shared=16, target=target)
    launched = SimpleNamespace(name="rmsnorm_row", n_regs=168, n_spills=2, metadata=metadata)
    compiled = SimpleNamespace(name="rmsnorm_row", metadata=metadata)  # has no registers before it is loaded
    (found,) = kernel_resources(side(rmsnorm_row=JITFunction(launched, compiled)))
    document = KernelResources(**found)
    assert (document.kernel, document.registers, document.local) == ("rmsnorm_row", 168, 8)
    assert (document.block, document.blocks_per_sm, document.occupancy) == ([128, 1, 1], 3, 3 * 128 / 2048)
    assert document.spill_stores is None


def test_a_side_without_kernels_has_none():
    assert kernel_resources(side(numbers=[1, 2], torch=torch)) == []


@pytest.mark.parametrize(
    ("registers", "threads", "shared", "blocks"),
    [
        (32, 256, 0, 8),  # threads
        (40, 256, 0, 6),  # registers: 65,536 / (40 x 256)
        (32, 256, 122_880, 1),  # shared memory: twice 121 KiB is more than 228
        (32, 64, 30_720, 7),
        (32, 128, 16_896, 13),
        (16, 32, 0, 32),  # blocks
        (33, 1_024, 0, 1),  # registers come in steps of eight per thread
    ],
)
def test_the_scarcest_resource_limits_the_blocks(registers, threads, shared, blocks):
    assert resident_blocks(registers, threads, shared, HOPPER) == blocks
