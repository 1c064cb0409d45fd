"""Loops that only a compiled language can time: reading a working set over and over, and chasing pointers.

Compiled by the system's C compiler into a temporary folder when a probe asks; nothing is installed.
"""

import ctypes
import os
import shutil
import tempfile
from pathlib import Path

from perfproof.core.child import ask
from perfproof.peak.found import NotMeasured

SOURCE = Path(__file__).with_suffix(".c")
FLAGS = (("-O3", "-march=native", "-mprefer-vector-width=512"), ("-O3", "-march=native"), ("-O3",))


def load() -> ctypes.CDLL:
    compiler = next(
        (found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if (found := shutil.which(name or ""))), None
    )
    if compiler is None:
        raise NotMeasured("no C compiler: the loop has to be compiled; install gcc or clang")
    with tempfile.TemporaryDirectory(prefix="perfproof-") as folder:
        library = ctypes.CDLL(str(_compiled(compiler, Path(folder))))
    library.read_all.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    library.chase.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t)
    library.read_all.restype = library.chase.restype = ctypes.c_uint64
    return library


def _compiled(compiler: str, folder: Path) -> Path:
    """With this machine's own vector instructions where the compiler knows them."""
    for flags in FLAGS:
        command = [compiler, *flags, "-shared", "-fPIC", "-o", "loops.so", str(SOURCE)]
        done = ask(command, 60, cwd=folder)
        if done.ok:
            return folder / "loops.so"
    raise NotMeasured(f"the C compiler {Path(compiler).name} failed: {done.last_line}")
