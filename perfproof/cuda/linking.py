"""Link a relocatable binary with CUDA's device runtime, which kernels that launch kernels need.

NVRTC compiles such a source but does not link it. The toolkit's `nvlink` does, without a GPU.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from perfproof.cuda.errors import CompileError, CudaError

RELOCATABLE = ("-rdc=true", "--relocatable-device-code=true")
LIBRARY = "libcudadevrt.a"
INSTALL = "install the CUDA toolkit (nvcc) and set CUDA_HOME"
SECONDS = 120.0


def link(cubin: bytes, architecture: str, name: str) -> bytes:
    """A binary that the driver can load; `name` is that of the source, for errors."""
    linker, library = find_linker(), find_library()
    if linker is None or library is None:
        missing = "nvlink" if linker is None else LIBRARY
        raise CudaError(f"{name} launches kernels from a kernel and needs {missing}: {INSTALL}")
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.cubin", Path(folder) / "after.cubin"
        before.write_bytes(cubin)
        command = [str(linker), f"--arch={architecture}", str(before), str(library), "-o", str(after)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0 or not after.is_file():
            said = (done.stderr or done.stdout).strip()
            first = said.splitlines()[0] if said else f"exit code {done.returncode}"
            raise CompileError(f"{name} could not be linked for {architecture}: {first}", said)
        return after.read_bytes()


def find_linker() -> Path | None:
    found = shutil.which("nvlink")
    if found:
        return Path(found)
    return next((path for root in _toolkits() if (path := root / "bin" / "nvlink").is_file()), None)


def find_library() -> Path | None:
    folders = ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib")
    places = (root / folder / LIBRARY for root in _toolkits() for folder in folders)
    return next((path for path in places if path.is_file()), None)


def _toolkits() -> Iterator[Path]:
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home := os.environ.get(variable):
            yield Path(home)
    for program in ("nvlink", "nvcc"):
        if found := shutil.which(program):
            yield Path(os.path.realpath(found)).parents[1]
    yield Path("/usr/local/cuda")
