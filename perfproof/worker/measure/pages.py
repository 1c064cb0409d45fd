"""Drop a file's pages from the page cache, without root: what `cold` asks for before each call."""

import os
from collections.abc import Iterable


def drop_pages(paths: Iterable[str]) -> None:
    for path in dict.fromkeys(paths):  # a sample may name one file many times
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)  # dirty pages stay whatever is advised
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)
