"""Compile a .cu file with NVRTC to a cubin for one architecture. Needs no GPU and no driver."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from perfproof.cuda import headers
from perfproof.cuda.bindings import nvrtc
from perfproof.cuda.errors import CompileError, CudaError
from perfproof.cuda.linking import RELOCATABLE, link
from perfproof.cuda.messages import first_error
from perfproof.cuda.resources import Resources, read_resources
from perfproof.cuda.signatures import Signature, read_signature

STANDARD = "--std=c++17"
# Verbose, for the resources; line numbers, for profilers. A function that does not say where it runs runs on the
# device, as `cuda.h` needs; and CUDA's own headers use a type that they call deprecated.
ALWAYS = ("--ptxas-options=-v", "-lineinfo", "-default-device", "-diag-suppress=1444")


@dataclass(frozen=True)
class Build:
    """What is asked of the compiler."""

    path: Path
    architecture: str  # "sm_90a"
    defines: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()  # instances of templates: "scale<float, 4>"

    @property
    def arguments(self) -> tuple[str, ...]:
        standard = () if any(option.startswith(("--std", "-std")) for option in self.options) else (STANDARD,)
        defines = (f"-D{name}={value}" if value else f"-D{name}" for name, value in self.defines)
        folders = (f"-I{folder}" for folder in (self.path.parent, *headers.include_folders()))
        return (f"--gpu-architecture={self.architecture}", *standard, *ALWAYS, *defines, *self.options, *folders)

    @property
    def own_folders(self) -> tuple[Path, ...]:
        """Folders that the options name: their headers are part of the source."""
        texts = (re.match(r"(?:-I|--include-path=)(.+)", option) for option in self.options)
        return tuple(Path(text[1]) for text in texts if text)


@dataclass(frozen=True)
class Image:
    """What the compiler made: the binary, and what is in it by the names there."""

    cubin: bytes
    kernels: dict[str, Resources]
    lowered: dict[str, str] = field(default_factory=dict)  # expression -> name in the binary

    def signatures(self) -> dict[str, Signature]:
        return {name: read_signature(name) for name in self.kernels}

    def contents(self) -> dict[str, Any]:
        return {"kernels": {name: asdict(taken) for name, taken in self.kernels.items()}, "lowered": self.lowered}


def plain_defines(defines: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Macros as the compiler gets them: True is 1, False is 0, None is defined and empty."""
    found = []
    for name, value in sorted(defines.items()):
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise CudaError(f"defines: {name!r} is no name for a macro; write letters, digits and underscores")
        if isinstance(value, bool):
            value = int(value)
        found.append((name, "" if value is None else str(value)))
    return tuple(found)


def compile_build(build: Build) -> Image:
    source = _read(build.path)
    compiler = nvrtc()
    names, texts = zip(*((name.encode(), text.encode()) for name, text in headers.STAND_INS.items()), strict=True)
    status, program = compiler.nvrtcCreateProgram(
        source, str(build.path).encode(), len(names), list(texts), list(names)
    )
    _expect(status, build)
    try:
        for expression in build.expressions:
            compiler.nvrtcAddNameExpression(program, expression.encode())
        arguments = [argument.encode() for argument in build.arguments]
        (status,) = compiler.nvrtcCompileProgram(program, len(arguments), arguments)
        log = _log(compiler, program)
        if int(status) != 0:
            raise CompileError(first_error(log, build.path, build.expressions) or _failure(build, status), log)
        cubin = _cubin(compiler, program)
        if set(RELOCATABLE) & set(build.options):
            cubin = link(cubin, build.architecture, build.path.name)
        return Image(cubin, read_resources(log), _lowered(compiler, program, build))
    finally:
        compiler.nvrtcDestroyProgram(program)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CudaError(f"{path} cannot be read: {error.strerror}; a pair's kernels are in the .cu beside it") from None


def _log(compiler: Any, program: Any) -> str:
    _, size = compiler.nvrtcGetProgramLogSize(program)
    text = b" " * size
    compiler.nvrtcGetProgramLog(program, text)
    return text.decode(errors="replace").replace("\0", "\n").rstrip()  # the assembler ends its parts with a null


def _cubin(compiler: Any, program: Any) -> bytes:
    _, size = compiler.nvrtcGetCUBINSize(program)
    binary = b" " * size
    compiler.nvrtcGetCUBIN(program, binary)
    return binary


def _lowered(compiler: Any, program: Any, build: Build) -> dict[str, str]:
    found = {}
    for expression in build.expressions:
        status, name = compiler.nvrtcGetLoweredName(program, expression.encode())
        _expect(status, build)
        found[expression] = name.decode()
    return found


def _expect(status: Any, build: Build) -> None:
    if int(status) != 0:
        raise CompileError(_failure(build, status))


def _failure(build: Build, status: Any) -> str:
    return f"{build.path.name} could not be compiled for {build.architecture}: {getattr(status, 'name', status)}"
