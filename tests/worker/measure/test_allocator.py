"""The allocator, warm."""

import subprocess
import sys

import pytest

# Blocks of 3 MiB, as a function with three temporaries allocates them; page faults per call afterwards.
PROGRAM = """
import ctypes, resource, sys
from perfproof.worker.measure import allocator

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]


def call(size):
    blocks = [libc.malloc(size) for _ in range(3)]
    for block in blocks:
        ctypes.memset(block, 1, size)
    for block in blocks:
        libc.free(block)


def faults(size):
    call(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        call(size)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / 10


if "warm" in sys.argv:
    allocator.warm()
print(faults(int(sys.argv[1])))
"""


def faults(size: int, *words: str) -> float:
    command = [sys.executable, "-c", PROGRAM, str(size), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_memory_that_a_call_frees_is_there_for_the_next_one():
    assert faults(3 << 20, "warm") < 10


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc")
def test_a_block_above_the_limit_of_glibc_is_mapped_anew_as_in_every_program():
    assert faults(40 << 20, "warm") > 1000 and faults(40 << 20) > 1000
