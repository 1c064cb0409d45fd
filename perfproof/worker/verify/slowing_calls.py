"""Calls that slow a baseline down and compute nothing: left from debugging, they make any variant look fast.

Others are made for safety: without them the answers are the same, and a crash or an attacker finds more.
"""

import gc
import hmac
import linecache
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

import torch

from perfproof.worker.verify.case import Answer, Contract, attempt

Call = Callable[[tuple], Answer]
_anomaly = torch.autograd.set_detect_anomaly, torch.autograd.detect_anomaly
IN_PYTHON = {
    **{one.__init__.__code__: "turns on torch's anomaly mode" for one in _anomaly},
    torch.use_deterministic_algorithms.__code__: "switches torch to deterministic algorithms",
    torch.cuda.empty_cache.__code__: "empties torch's cache of GPU memory",
    re.purge.__code__: "empties the cache of regular expressions",
    linecache.clearcache.__code__: "empties the cache of source lines",
}
THREADS = "sets the number of threads"
IN_C: dict[Any, str] = {
    gc.collect: "runs the garbage collector",
    sys.settrace: "sets a trace function",
    torch.set_num_threads: THREADS,
}
PROMISES: dict[Any, str] = {  # what a call does for safety; its result is the same without
    os.fsync: "waits until a file is on the disk",
    getattr(os, "fdatasync", os.fsync): "waits until a file is on the disk",
    hmac.compare_digest: "compares in a time that tells nothing of the secret",
    os.urandom: "draws from the system's source of secrets",
    os.rename: "puts a file into place in one step",
    os.replace: "puts a file into place in one step",
}
CLEARS = {"cache_clear": "empties a cache of functools"}
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def check(contract: Contract, sides: Mapping[str, Call], drawn: tuple) -> list[str]:
    """What only the baseline does, it is the first of the sides; threads are said of any side that sets them."""
    found = {name: _made_by(call, contract, drawn) for name, call in sides.items()}
    (baseline, usual), *variants = found.items()
    said = [
        f"{baseline} {what} in every call, and {name} does not: the ratio counts that"
        for name, own in variants
        for what in sorted(usual - own - {THREADS, *PROMISES.values()})
    ]
    threads = [name for name, own in found.items() if THREADS in own]
    said += [
        f"{baseline} {what}, and {name} does not: it promises less"
        for name, own in variants
        for what in sorted(usual & {*PROMISES.values()} - own)
    ]
    return said + [f"{name} {THREADS} itself: give --threads, which holds for all sides" for name in threads]


def _made_by(call: Call, contract: Contract, drawn: tuple) -> set[str]:
    """In words, the calls of this kind that code outside of libraries makes."""
    found: set[str] = set()

    def look(frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            caller, what = frame.f_back, IN_PYTHON.get(frame.f_code)
        elif event == "c_call":
            caller, what = frame, IN_C.get(called) or PROMISES.get(called) or CLEARS.get(called.__name__)
        else:
            return
        if what and caller is not None and not caller.f_code.co_filename.startswith(_LIBRARIES):
            found.add(what)

    own = contract.copied(drawn)
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        attempt(call, own)
    finally:
        sys.setprofile(before)
    return found
