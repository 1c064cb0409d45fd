"""clear_refs: peak memory of one side needs the kernel's high-water mark to be reset."""

import os
import re
from pathlib import Path

from perfproof.core.doctor import Finding

GROUP = "measuring"
CLEAR_REFS = Path("/proc/self/clear_refs")


def probe() -> Finding:
    try:
        with CLEAR_REFS.open("w") as file:
            file.write("5")  # proc(5): reset the peak resident set size to the current one
        status = Path(f"/proc/{os.getpid()}/status").read_text()
    except OSError as error:
        why = f"the peak cannot be reset: {error.strerror}; memory claims are not measured"
        return Finding(name="peak memory", state="denied" if CLEAR_REFS.exists() else "absent", why=why)
    if re.search(r"^VmHWM:\s+[0-9]+ kB", status, re.MULTILINE) is None:
        return Finding(name="peak memory", state="absent", why="the kernel shows no high-water mark (VmHWM)")
    return Finding(name="peak memory", state="works", why="the high-water mark can be reset")
