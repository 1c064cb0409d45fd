"""Huge pages: fewer address translations for large buffers."""

from perfproof.core.doctor import Finding
from perfproof.core.units import binary_bytes
from perfproof.machine import memory

GROUP = "machine"
NAME = "huge pages"
FIX = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"


def probe() -> Finding:
    found = memory.read_memory()
    return judge(found.transparent_huge_pages, found.huge_pages, found.huge_page_bytes)


def judge(transparent: str, configured: int | str, page_bytes: int | str) -> Finding:
    size = binary_bytes(page_bytes) if isinstance(page_bytes, int) else "unknown size"
    reserved = f"{configured} reserved ({size})" if isinstance(configured, int) else configured
    why = f"transparent: {transparent}; {reserved}"
    if transparent in ("always", "madvise") or (isinstance(configured, int) and configured > 0):
        return Finding(name=NAME, state="works", why=why)
    if transparent == "never":
        return Finding(name=NAME, state="limited", why=why, fix=FIX)
    return Finding(name=NAME, state="unknown", why=why)
