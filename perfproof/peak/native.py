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

SOURCE = r"""
#include <stddef.h>
#include <stdint.h>

typedef uint64_t lanes __attribute__((vector_size(64)));

/* Read `bytes` (a multiple of 512) `rounds` times; the sum keeps the compiler from leaving reads out. */
uint64_t read_all(const lanes *data, size_t bytes, size_t rounds) {
    lanes sums[8] = {0};
    const size_t count = bytes / sizeof(lanes);
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i += 8)
            for (size_t k = 0; k < 8; k++) sums[k] += data[i + k];
        __asm__ volatile("" ::: "memory");
    }
    uint64_t total = 0;
    for (size_t k = 0; k < 8; k++)
        for (size_t lane = 0; lane < 8; lane++) total += sums[k][lane];
    return total;
}

/* Each step's address is the value that the step before has loaded. */
uint64_t chase(const uint64_t *next, uint64_t start, size_t steps) {
    uint64_t at = start;
    for (size_t i = 0; i < steps; i++) at = next[at];
    return at;
}
"""
FLAGS = (("-O3", "-march=native", "-mprefer-vector-width=512"), ("-O3", "-march=native"), ("-O3",))


def load() -> ctypes.CDLL:
    compiler = next((found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if (found := _which(name))), None)
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
    (folder / "loops.c").write_text(SOURCE)
    for flags in FLAGS:
        command = [compiler, *flags, "-shared", "-fPIC", "-o", "loops.so", "loops.c"]
        done = ask(command, 60, cwd=folder)
        if done.ok:
            return folder / "loops.so"
    raise NotMeasured(f"the C compiler {Path(compiler).name} failed: {done.last_line}")


def _which(name: str | None) -> str | None:
    return shutil.which(name) if name else None
