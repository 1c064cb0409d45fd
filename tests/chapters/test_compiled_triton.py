"""Every Triton kernel of the catalogue is compiled for Hopper and Blackwell, by the tests of its chapter or lab."""

import re
from pathlib import Path

from tests.chapters.loaded_pair import CHAPTERS

TESTS = Path(__file__).parents[1]


def launched_kernels() -> set[str]:
    """Names that a pair launches, `name[grid](...)`: functions that only kernels call are compiled with them."""
    found = set()
    for path in [*CHAPTERS.glob("ch*/*.py"), *CHAPTERS.parent.glob("labs/*/*.py")]:
        text = path.read_text()
        found |= {name for name in re.findall(r"@triton\.jit\ndef (\w+)\(", text) if re.search(rf"\b{name}\[", text)}
    return found


def test_no_kernel_is_left_out():
    texts = [path.read_text() for path in TESTS.rglob("test_*.py")]
    compiling = "\n".join(text for text in texts if "compiled_triton import" in text or "GPUTarget(" in text)
    kernels = launched_kernels()
    assert len(kernels) > 12
    assert {name for name in kernels if not re.search(rf"\b{name}\b", compiling)} == set()
