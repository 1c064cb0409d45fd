"""The headers of CUTLASS: what nvcc and torch's CUTLASS backend of `torch.compile` include."""

from perfproof.core.doctor import Finding
from perfproof.machine import cutlass

GROUP, FOR_GPUS = "compilers", True
NAME = "CUTLASS headers"
FIX = "pip install nvidia-cutlass"  # carries them; or set CUTLASS_PATH to a checkout


def probe() -> Finding:
    return judge(cutlass.find())


def judge(found: dict[str, str]) -> Finding:
    headers = {where: version for where, version in found.items() if where.startswith("headers in ")}
    if not headers:
        why = "no include/cutlass/version.h in CUTLASS_PATH, the usual folders and known packages"
        return Finding(name=NAME, state="absent", why=why, fix=FIX)
    broken = [where for where, version in headers.items() if version.startswith("unknown: ")]
    if len(broken) == len(headers):
        return Finding(name=NAME, state="unknown", why=f"{broken[0]}: the version can't be read")
    where = next(where for where in headers if where not in broken)
    return Finding(name=NAME, state="works", why=where, version=headers[where])
