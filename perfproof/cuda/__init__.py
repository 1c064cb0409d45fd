"""Compile the .cu file beside a pair, and call its kernels on tensors. One of the two packages that a pair may import.

    kernels = cuda.source(__file__)
    kernels.copy_coalesced(x, out, x.numel(), grid=1024, block=256)
    kernels["scale<float, 4>"](x, out, 2.0, x.numel(), grid=1024, block=256)

Nothing is compiled or imported before a kernel is used.
"""

from perfproof.cuda.aligned_rows import aligned, aligned_rows
from perfproof.cuda.errors import CudaError
from perfproof.cuda.graphs import Graph
from perfproof.cuda.kernels import Kernel, Kernels, source
from perfproof.cuda.numbers import float32, float64, int32, int64, uint32, uint64
from perfproof.cuda.resources import Resources
from perfproof.cuda.tensor_maps import TensorMap, tensor_map

__all__ = [
    "CudaError",
    "Graph",
    "Kernel",
    "Kernels",
    "Resources",
    "TensorMap",
    "aligned",
    "aligned_rows",
    "float32",
    "float64",
    "int32",
    "int64",
    "source",
    "tensor_map",
    "uint32",
    "uint64",
]
