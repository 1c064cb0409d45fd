"""The kernels of a .cu file on CPU tensors: the same source, compiled by g++ and run by tests/chapters/emulation.cpp.

Stands where a pair has `kernels = cuda.source(__file__)`, so that its functions run as they are written. Tensors are
copied to memory with an unreadable page behind them: a kernel that reads past the end of one is caught. Functions with
inline assembly are left out of the source; emulation.h has others of the same name.
"""

import ctypes
import hashlib
import math
import mmap
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from perfproof.cuda.aligned_rows import aligned, aligned_rows
from perfproof.cuda.check import _uses
from perfproof.cuda.messages import kernels_named_in
from perfproof.cuda.tensor_maps import _problem
from perfproof.pairs.kernels import with_includes
from tests.chapters.emulated_graphs import EmulatedGraph
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

HEADER, RUNNER = (Path(__file__).with_name(f"emulation.{ending}") for ending in ("h", "cpp"))
COMPILER = shutil.which("g++")
PAGE = mmap.PAGESIZE
NUMBERS = {"int": ctypes.c_int, "unsigned": ctypes.c_uint, "long long": ctypes.c_longlong, "float": ctypes.c_float,
           "unsigned long long": ctypes.c_ulonglong, "bool": ctypes.c_bool}  # fmt: skip
ORDERS = (0, 1, 7)  # of the threads: forwards, backwards, shuffled
FAULTS = {1: "touches memory that is not its own", 2: "waits for ever"}
RESIDENT = 3  # blocks that run at once: few, so that grid-stride loops go round


class KernelFault(Exception):
    """A kernel did what a sanitizer would report, or waits for ever."""


def emulated(
    name: str, folder: Path, change: tuple[str, str] | None = None, defines: Mapping[str, object] | None = None
) -> LoadedPair:
    """The pair with emulated kernels, of its own source or of one with a text changed; `name` as in LoadedPair.

    `defines` replace those of the pair: smaller tiles make an emulation faster.
    """
    pair, path = LoadedPair(name), (CHAPTERS / name).with_suffix(".cu")
    text = "\n\n".join(_without_includes(file.read_text()) for file in reversed(with_includes(path)))
    if change:
        assert text.count(change[0]) >= 1, f"{path.name} no longer has {change[0]!r}"
        text = text.replace(*change)
    ((stated, instances),) = _uses(path.with_suffix(".py"))
    plain = [one for one in kernels_named_in(text) if not any(own.startswith(f"{one}<") for own in instances)]
    given = {**(stated.get("defines") or {}), **(defines or {})}
    pair.module.kernels = EmulatedKernels(text, [*instances, *_whole(text, plain)], given, folder)
    pair.module.cuda = EmulatedCuda
    return pair


@dataclass(frozen=True)
class EmulatedMap:
    """What `cuda.tensor_map` describes, for the emulated copy engine."""

    tensor: torch.Tensor
    box: tuple[int, ...]
    swizzle: int

    def packed(self, address: int) -> bytes:
        size, dimensions = self.tensor.element_size(), self.tensor.dim()
        rest = [0] * (5 - dimensions)
        strides = [step * size for step in reversed(self.tensor.stride())]
        wide = [address, *reversed(self.tensor.shape), *rest, *strides, *rest]
        return struct.pack("<11Q8I", *wide, *reversed(self.box), *rest, dimensions, size, self.swizzle)


class EmulatedCuda:
    """Stands where a pair has `from perfproof import cuda`."""

    Graph = EmulatedGraph
    aligned = staticmethod(aligned)
    aligned_rows = staticmethod(aligned_rows)

    @staticmethod
    def tensor_map(tensor: torch.Tensor, *, box: tuple[int, ...], swizzle: str = "none", **_: Any) -> EmulatedMap:
        problem = _problem(tensor, box, swizzle, (1,) * tensor.dim())
        assert not problem, problem
        return EmulatedMap(tensor, box, 0 if swizzle == "none" else int(swizzle.removesuffix("B")))


class EmulatedKernels:
    """`kernels.name(...)` and `kernels["name<4>"](...)`, as `perfproof.cuda` has them."""

    def __init__(self, source: str, names: Sequence[str], defines: Mapping[str, object], folder: Path):
        self._library, self._message = _compiled(source, names, defines, folder)
        self._kernels = {
            name: EmulatedKernel(self, place, _parameters(source, name), name) for place, name in enumerate(names)
        }
        self.order = 0  # of the threads: one of ORDERS

    def __getitem__(self, name: str) -> "EmulatedKernel":
        return self._kernels[name]

    def __getattr__(self, name: str) -> "EmulatedKernel":
        return self[name]


class EmulatedKernel:
    def __init__(self, kernels: EmulatedKernels, place: int, parameters: list[str], name: str):
        self._launch: Callable[..., int] = getattr(kernels._library, f"launch_{place}")
        self._kernels, self._parameters, self._name = kernels, parameters, name

    def resident_blocks(self, *, block: Any, shared: int = 0) -> int:
        return RESIDENT

    def __call__(
        self, *arguments: Any, grid: Any, block: Any, shared: int = 0, cluster: Any = None, pdl: bool = False
    ) -> None:
        assert len(arguments) == len(self._parameters), (self._name, self._parameters)
        assert shared <= 227 * 1024 and math.prod(_three(block)) <= 1_024
        assert all(whole % part == 0 for whole, part in zip(_three(grid), _three(cluster or 1), strict=True))
        memory: dict[int, GuardedMemory] = {}
        for argument in arguments:
            tensor = argument.tensor if isinstance(argument, EmulatedMap) else argument
            if isinstance(tensor, torch.Tensor) and tensor.data_ptr() not in memory:
                assert tensor.is_contiguous()
                memory[tensor.data_ptr()] = GuardedMemory(tensor)
        values = [_packed(one, kind, memory) for one, kind in zip(arguments, self._parameters, strict=True)]
        places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        shape = (ctypes.c_uint * 10)(*_three(grid), *_three(block), *_three(cluster or 1), shared)
        fault = self._launch(places, shape, ctypes.c_int(self._kernels.order))
        if fault:
            raise KernelFault(f"{self._name}: {FAULTS.get(fault) or self._kernels._message().decode()}")
        for one in memory.values():
            if not one.hand_back():
                raise KernelFault(f"{self._name}: writes past the end of a tensor")


class GuardedMemory:
    """A tensor's bytes at the end of a page that nothing behind it can be read from."""

    MARK = 0xA5

    def __init__(self, tensor: torch.Tensor):
        self._tensor, self._size = tensor, tensor.numel() * tensor.element_size()
        room = -(-self._size // 16) * 16
        pages = -(-room // PAGE) + 1
        self._map = mmap.mmap(-1, pages * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        end = start + (pages - 1) * PAGE
        _libc().mprotect(ctypes.c_void_p(end), PAGE, 0)
        self.address, self._slack = end - room, room - self._size
        ctypes.memmove(self.address, tensor.data_ptr(), self._size)
        ctypes.memset(self.address + self._size, self.MARK, self._slack)

    def hand_back(self) -> bool:
        """Copy what the kernel wrote into the tensor; False if it wrote behind it."""
        ctypes.memmove(self._tensor.data_ptr(), self.address, self._size)
        behind = ctypes.string_at(self.address + self._size, self._slack)
        return behind == bytes([self.MARK]) * self._slack


def _packed(argument: Any, kind: str, memory: dict[int, GuardedMemory]) -> Any:
    if isinstance(argument, torch.Tensor):
        return ctypes.c_void_p(memory[argument.data_ptr()].address)
    if isinstance(argument, EmulatedMap):
        argument = argument.packed(memory[argument.tensor.data_ptr()].address)
    if isinstance(argument, bytes):  # a struct
        return ctypes.create_string_buffer(argument, len(argument))
    return NUMBERS[kind](argument)


def _compiled(
    source: str, names: Sequence[str], defines: Mapping[str, object], folder: Path
) -> tuple[ctypes.CDLL, Any]:
    shared = "__start_of_block, size_t(__stop_of_block - __start_of_block)"
    launches = "".join(
        f'extern "C" int launch_{place}(void** arguments, const unsigned* shape, int order) '
        f"{{ return emulation::run_grid(emulation::Launch<{name}>::body, arguments, shape, order, {shared}); }}\n"
        for place, name in enumerate(names)
    )
    # One variable makes the section exist; the linker names its ends.
    section = 'extern "C" __attribute__((visibility("hidden"))) char __start_of_block[], __stop_of_block[];\n'
    section += '__attribute__((section("of_block"), used, aligned(1024))) static char first_of_block[16];\n'
    text = f'#include "{HEADER.name}"\n{section}{_for_a_cpu(source)}\n{launches}'
    message = _runner().emulation_message  # before the kernels, which find it by its names
    options = [f"-D{name}={value}" for name, value in defines.items()]
    return _library(text, [f"-I{_header().name}", f"-I{HEADER.parent}", *options], folder, ctypes.RTLD_LOCAL), message


@cache
def _header() -> tempfile.TemporaryDirectory:
    """A folder with the header as g++ keeps it: to read it again takes most of a compile."""
    folder = tempfile.TemporaryDirectory()
    _compile(["-x", "c++-header", str(HEADER), "-o", str(Path(folder.name) / f"{HEADER.name}.gch")])
    return folder


@cache
def _runner() -> ctypes.CDLL:
    """Compiled once per process."""
    with tempfile.TemporaryDirectory() as folder:
        runner = _library(RUNNER.read_text(), [f"-I{RUNNER.parent}"], Path(folder), ctypes.RTLD_GLOBAL)
    runner.emulation_message.restype = ctypes.c_char_p
    return runner


def _library(text: str, options: list[str], folder: Path, mode: int) -> ctypes.CDLL:
    stem = hashlib.sha256((text + " ".join(options)).encode()).hexdigest()[:16]
    file, library = folder / f"{stem}.cpp", folder / f"{stem}.so"
    if not library.exists():
        file.write_text(text)
        _compile([*options, str(file), "-o", str(library)])
    return ctypes.CDLL(str(library), mode=mode)


def _compile(words: list[str]) -> None:
    """Fibers jump between stacks, which a fortified longjmp refuses."""
    flags = ["-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-fno-strict-aliasing", "-U_FORTIFY_SOURCE"]
    done = subprocess.run([str(COMPILER), *flags, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]


def _for_a_cpu(source: str) -> str:
    """Without inline assembly; dynamic shared memory is the header's."""
    source = re.sub(r'extern "C" __device__ [^;{]*;', "", source)  # of the device runtime: the header has it
    text = "\n\n".join(part for part in _functions(source) if not re.search(r"\basm\b", part))
    return re.sub(r"extern __shared__ (?:__align__\((\w+)\) )?([\w ]+) (\w+)\[\];", _dynamic, _without_includes(text))


def _dynamic(found: re.Match[str]) -> str:
    alignment, kind, name = found.groups()
    return f"{kind}* {name} = ({kind}*)emulation::dynamic_shared({alignment or 16});"


def _functions(source: str) -> Iterator[str]:
    """The source cut at empty lines outside of functions."""
    held: list[str] = []
    for part in source.split("\n\n"):
        held.append(part)
        whole = "\n\n".join(held)
        if whole.count("{") == whole.count("}"):
            yield whole
            held = []


def _whole(source: str, names: Sequence[str]) -> list[str]:
    """The kernels that are left without functions with inline assembly."""
    kept = _for_a_cpu(source)
    return [name for name in names if re.search(rf"\b{name}\(", kept)]


def _without_includes(text: str) -> str:
    return re.sub(r"^#(?:include|pragma once).*$", "", text, flags=re.MULTILINE)


def _parameters(source: str, name: str) -> list[str]:
    """The type of each parameter, `*` for a pointer."""
    plain = name.partition("<")[0]
    found = re.search(rf"\b{plain}\(([^)]*)\)\s*{{", source)
    assert found, name
    kinds = (re.sub(r"\b(?:const|__grid_constant__)\b", "", one).strip() for one in found[1].split(","))
    return ["*" if "*" in kind else kind.rpartition(" ")[0].strip() for kind in kinds]


def _three(extent: Any) -> tuple[int, int, int]:
    parts = (extent,) if isinstance(extent, int) else tuple(extent)
    assert math.prod(parts) >= 1
    return (*parts, 1, 1)[:3]  # type: ignore[return-value]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
