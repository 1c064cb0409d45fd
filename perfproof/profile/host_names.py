"""What the names of the host's rows say: that it waits for input, that it waits for the device, copies or allocates."""

import re

INPUT = re.compile(
    r"enumerate\(DataLoader\)#.*__next__|(?<![^\W_])(data_?loader|data_?loading|load_?batch|next_?(batch|data)|"
    r"fetch_?batch|get_?batch|input_?pipeline|input_?wait|collate)(?![^\W_])",
    re.IGNORECASE,
)
# nsys writes the version of the interface into a name: cudaMemcpy_v3020, cudaMemcpy_ptds_v7000, cuMemcpyDtoH_v2_ptds.
SYNC_CALL = re.compile(
    r"(cuda|cu|hip)\w*Synchronize(_\w+)?|(cuda|hip)Memcpy(2D|3D|ToSymbol|FromSymbol)?(_ptds)?(_v\d+)?|"
    r"cuMemcpy(DtoH|HtoD|DtoD)?(_v\d+)?(_ptds)?"
)
# A pool of the driver (cudaMallocAsync) is not meant.
ALLOCATING_CALL = re.compile(
    r"((cuda|hip)(Malloc|Free|HostAlloc)|cuMem(Alloc|Free|HostAlloc|Create|Map|Unmap|Release))(?!\w*Async)\w*"
)
COPY_CALL = re.compile(r"(cuda|hip)Memcpy\w*|cuMemcpy\w*")
# What torch.compile writes around its own work, and what a program does once: contexts, modules, libraries.
COMPILING = re.compile(
    r".*\(dynamo_timed\)|(_compile|compile_fx|compile_inner|convert_frame|async_compile|inductor)\b.*|"
    r"Inductor[\s:_].*compil.*|triton.*compil.*|.*autotun.*",
    re.IGNORECASE,
)
STARTING_CALL = re.compile(
    r"cu(Module|Library)(Load|GetFunction|GetGlobal|GetModule)\w*|cuCtx(Create|DevicePrimary)\w*|cuDevicePrimaryCtxRetain\w*|"
    r"cuInit|cudaSetDevice|(cuda|hip)GetDevice(Properties|Count)\w*|(cuda|hip)DeviceGetStreamPriorityRange|"
    r"hipModuleLoad\w*|cublasCreate\w*|cudnnCreate\w*|cusolver\w*Create|cublasLtCreate"
)
SYNC_OPERATORS = frozenset(
    f"aten::{name}"
    for name in (
        "item",
        "_local_scalar_dense",
        "nonzero",
        "is_nonzero",
        "equal",
        "masked_select",
        "unique_dim",
        "_unique2",
    )
)
LONGEST_CALL = 256  # characters; a stranger's name may have a million, in which a pattern goes back and forth for hours


def is_input(name: str) -> bool:
    """The wait for the next batch, or the work that makes it."""
    return INPUT.search(name) is not None


def is_compiling(name: str) -> bool:
    """The compiler's own work, or the tuning of a kernel."""
    return len(name) <= LONGEST_CALL and COMPILING.fullmatch(name) is not None


def is_call(pattern: re.Pattern[str], name: str) -> bool:
    """Whether the whole name fits."""
    return len(name) <= LONGEST_CALL and pattern.fullmatch(name) is not None


def is_wait(name: str) -> bool:
    """A call, or an operator with a call in it, that returns when the device has done its work."""
    return is_call(SYNC_CALL, name) or name in SYNC_OPERATORS
