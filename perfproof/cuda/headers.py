"""Where CUDA's headers are: a toolkit, or the wheels beside NVRTC; and stand-ins for the host headers that they name.

NVRTC has no C library. `cuda.h` includes <stdlib.h> and <stdint.h>, kernels like to include <cstdint>: what they need
of them is a few type names.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

_STDINT = """\
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
"""
_IN_STD = " ".join(f"using ::{sign}int{bits}_t;" for sign in ("", "u") for bits in (8, 16, 32, 64))
STAND_INS = {
    "stdint.h": _STDINT,
    "cstdint": f'#pragma once\n#include "stdint.h"\nnamespace std {{ {_IN_STD} }}\n',
    "stdlib.h": "",
    "stddef.h": "",
}
TOOLKIT, LIBRARY = "cuda_fp16.h", "cuda/barrier"  # one header that tells a folder of each
INSTALL = "install the CUDA toolkit and set CUDA_HOME, or pip install nvidia-cuda-runtime nvidia-cuda-cccl"


def include_folders() -> tuple[Path, ...]:
    """The toolkit's headers and libcu++'s, each from the first place that has them; empty where none has."""
    found = [_first_with(TOOLKIT), _first_with(LIBRARY)]
    return tuple(dict.fromkeys(folder for folder in found if folder is not None))


def remedy(header: str) -> str:
    """What to do about a header that is not found."""
    if "." not in header and "/" not in header:
        return f"NVRTC has no C++ standard library: use <cuda/std/{header}>"
    known = header.startswith(("cuda", "nv/", "cub/", "thrust/", "cooperative_groups", "mma", "crt/"))
    return INSTALL if known else "put it beside the source, or name its folder: options=('-I...',)"


def _first_with(header: str) -> Path | None:
    return next((folder for folder in _candidates() if (folder / header).is_file()), None)


def _candidates() -> Iterator[Path]:
    for root in _roots():
        yield root
        yield root / "cccl"


def _roots() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home := os.environ.get(variable):
            yield Path(home) / "include"
    if compiler := shutil.which("nvcc"):
        yield Path(os.path.realpath(compiler)).parents[1] / "include"
    yield Path("/usr/local/cuda/include")
    for entry in sys.path:
        wheels = Path(entry) / "nvidia"
        for name in ("cu13", "cu12", "cuda_runtime", "cuda_cccl"):
            yield wheels / name / "include"
    for entry in sys.path:  # Triton brings the toolkit's headers, without libcu++
        yield Path(entry) / "triton/backends/nvidia/include"
