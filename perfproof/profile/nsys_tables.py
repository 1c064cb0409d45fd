"""Which tables of an nsys database hold what, and under which names of columns: they differ from version to version.

The first column of a list that a table has is taken. Numbers that stand for names are looked up in the database's own
tables (StringIds, ENUM_...), never here.
"""

from dataclasses import dataclass

from perfproof.core.events import Kind

STRINGS = "StringIds"
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
IN_GRAPHS = "kernels inside CUDA graphs"  # what is unknown where a graph was traced as one piece of work
WHOLE_GRAPHS = "each graph was traced as one piece of work; record with `nsys profile --cuda-graph-trace=node`"


@dataclass(frozen=True)
class Source:
    """A table whose rows are events."""

    kind: Kind
    name: tuple[str, ...] = ()  # columns with an id into StringIds
    text: str = ""  # a column with the name itself, used first
    fallback: str = ""  # the name of a row that has none
    keep: tuple[str, ...] = ()  # columns that become arguments
    enums: tuple[tuple[str, str], ...] = ()  # columns that become arguments, and the table with their names


SHAPE = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
RESOURCES = ("registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread", "graphId")
MEMORY_KINDS = (("srcKind", "ENUM_CUDA_MEM_KIND"), ("dstKind", "ENUM_CUDA_MEM_KIND"))

SOURCES: dict[str, Source] = {
    "CUPTI_ACTIVITY_KIND_KERNEL": Source(
        Kind.KERNEL, ("demangledName", "shortName", "mangledName", "name"), fallback="kernel", keep=SHAPE + RESOURCES
    ),
    GRAPHS: Source(Kind.KERNEL, fallback="CUDA graph", keep=("graphId", "graphExecId")),
    "CUPTI_ACTIVITY_KIND_MEMCPY": Source(
        Kind.COPY, fallback="Memcpy", enums=(("copyKind", "ENUM_CUDA_MEMCPY_OPER"), *MEMORY_KINDS)
    ),
    "CUPTI_ACTIVITY_KIND_MEMSET": Source(Kind.FILL, fallback="Memset", enums=(("memKind", "ENUM_CUDA_MEM_KIND"),)),
    "CUPTI_ACTIVITY_KIND_RUNTIME": Source(Kind.RUNTIME, ("nameId",), fallback="CUDA call", keep=("returnValue",)),
    "CUPTI_ACTIVITY_KIND_DRIVER": Source(Kind.RUNTIME, ("nameId",), fallback="CUDA call", keep=("returnValue",)),
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": Source(
        Kind.SYNC, fallback="synchronisation", enums=(("syncType", "ENUM_CUPTI_SYNC_TYPE"),)
    ),
    "NVTX_EVENTS": Source(Kind.RANGE, ("textId",), "text", "range", keep=("domainId", "color")),
    "CUBLAS_EVENTS": Source(Kind.OPERATOR, ("nameId",), fallback="cuBLAS call"),
    "CUDNN_EVENTS": Source(Kind.OPERATOR, ("nameId",), fallback="cuDNN call"),
    "OSRT_API": Source(Kind.OS_CALL, ("nameId",), fallback="system call"),
    "PROFILER_OVERHEAD": Source(Kind.OVERHEAD, ("nameId",), fallback="profiler overhead"),
}

# What a user misses where none of these tables is there: nsys creates a table with its first row.
EXPECTED: dict[str, tuple[str, ...]] = {
    "kernels": ("CUPTI_ACTIVITY_KIND_KERNEL", GRAPHS),
    "copies": ("CUPTI_ACTIVITY_KIND_MEMCPY",),
    "fills": ("CUPTI_ACTIVITY_KIND_MEMSET",),
    "runtime calls": ("CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER"),
    "synchronisations": ("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",),
    "ranges": ("NVTX_EVENTS",),
    "GPU metrics": ("GPU_METRICS",),
}
