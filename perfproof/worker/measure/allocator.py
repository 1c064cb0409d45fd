"""Warm the allocator, as sides are warmed: a program that has run for a while does not fault in its memory anew.

glibc decides by history which blocks it asks the system for and when it gives memory back: the largest block that was
ever freed sets both thresholds, up to 32 MiB. In a fresh process they are those of the sides themselves. Then calls
that allocate a few MiB fault in thousands of pages, or none, by the luck of what lies at the end of the heap; and the
side with the larger blocks changes that for the other.
"""

import ctypes

LARGEST = (32 << 20) - (64 << 10)  # bytes: glibc's own limit on a 64-bit machine, less what a block needs for itself


def warm() -> None:
    """Free a block as large as the thresholds can learn from. Larger blocks are mapped anew every time, as always."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
    libc.free(libc.malloc(LARGEST))
