"""posix_fadvise: can the pages of a file be dropped without root, so that a read meets the disk?"""

import os
import tempfile

from perfproof.core.doctor import Finding

GROUP = "measuring"
FILE_BYTES = 1 << 20


def probe() -> Finding:
    if not hasattr(os, "posix_fadvise") or not hasattr(os, "RWF_NOWAIT"):
        return Finding(name="cold files", state="absent", why="this system has no posix_fadvise and RWF_NOWAIT")
    try:
        with tempfile.TemporaryFile(dir=os.curdir) as file:
            file.write(os.urandom(FILE_BYTES))
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            cold = _is_cold(file.fileno())
    except OSError as error:
        why = f"the current folder cannot be tried: {error.strerror}"
        return Finding(name="cold files", state="denied", why=f"{why}; go to one that is yours")
    if cold:
        return Finding(name="cold files", state="works", why="pages of a file here can be dropped")
    why = "pages of a file here stay in memory: the filesystem is memory, or keeps its own cache; go to a local disk"
    return Finding(name="cold files", state="limited", why=why)


def _is_cold(file: int) -> bool:
    try:
        return os.preadv(file, [bytearray(4096)], 0, os.RWF_NOWAIT) == 0
    except BlockingIOError:
        return True  # it would have to wait for the disk
