"""Shares of peak where ncu was not asked for them: bytes and operations of a kernel over its time, against the card's
data sheet. A sheet's peak is one that no program reaches, so these shares are a little lower than ncu's own."""

from perfproof.diagnose.counted import Counted
from perfproof.machine.datasheet import Sheet, find
from perfproof.profile.ncu.roofline import point

# Of the roofline's dtypes, which figure of a sheet is their peak. A packed half-precision instruction is counted once,
# and as many of them are done in a cycle as of fp32. No sheet here has fp64 outside the tensor cores.
SHEET_DTYPES = {"fp64 tensor": "fp64", "fp16 vector": "fp32", "fp64": ""}


def dram_share(kernel: Counted) -> float | None:
    sheet = _sheet(kernel)
    points = [point(launch) for launch in kernel.launches]
    known = [(one.bytes["DRAM"], one.seconds) for one in points if "DRAM" in one.bytes and one.seconds]
    if sheet is None or not known:
        return None
    return sum(moved for moved, _ in known) / sum(seconds for _, seconds in known) / sheet.memory_bytes_s


def arithmetic_share(kernel: Counted) -> float | None:
    """The time that the counted operations need at their peaks, of the time that the kernel took."""
    sheet = _sheet(kernel)
    points = [point(launch) for launch in kernel.launches]
    known = [(one.work, one.seconds) for one in points if one.flops is not None and one.seconds]
    if sheet is None or not known:
        return None
    needed = 0.0
    for work, _ in known:
        for dtype, operations in work.items():
            peak = sheet.flops.get(SHEET_DTYPES.get(dtype, dtype))
            if peak is None:
                return None
            needed += operations / peak
    return needed / sum(seconds for _, seconds in known)


def _sheet(kernel: Counted) -> Sheet | None:
    return find(kernel.launches[0].device) if kernel.launches and kernel.launches[0].device else None
