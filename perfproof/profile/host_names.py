"""What the names of the host's rows say: that it waits for input, that it waits for the device, copies or allocates."""

import re

INPUT = re.compile(
    r"enumerate\(DataLoader\)#.*__next__|(?<![^\W_])(data_?loader|data_?loading|load_?batch|next_?(batch|data)|"
    r"fetch_?batch|get_?batch|input_?pipeline|input_?wait|collate)(?![^\W_])",
    re.IGNORECASE,
)
SYNC_CALL = re.compile(r"(cuda|cu|hip)\w*Synchronize(_\w+)?|(cuda|hip)Memcpy|cuMemcpy(DtoH|HtoD|DtoD)?(_v2)?")
# A pool of the driver (cudaMallocAsync) is not meant.
ALLOCATING_CALL = re.compile(
    r"((cuda|hip)(Malloc|Free|HostAlloc)|cuMem(Alloc|Free|HostAlloc|Create|Map|Unmap|Release))(?!\w*Async)\w*"
)
COPY_CALL = re.compile(r"(cuda|hip)Memcpy\w*|cuMemcpy\w*")
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


def is_input(name: str) -> bool:
    """The wait for the next batch, or the work that makes it."""
    return INPUT.search(name) is not None


def is_wait(name: str) -> bool:
    """A call, or an operator with a call in it, that returns when the device has done its work."""
    return SYNC_CALL.fullmatch(name) is not None or name in SYNC_OPERATORS
