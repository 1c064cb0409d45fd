"""The kernels of a .cu file as callables on tensors: found by name, compiled at their first use."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfproof.cuda.architectures import USUAL, of_capability, parse
from perfproof.cuda.cache import compiled
from perfproof.cuda.compiling import Build, Image, plain_defines
from perfproof.cuda.errors import CudaError
from perfproof.cuda.messages import kernels_named_in
from perfproof.cuda.resources import Resources
from perfproof.cuda.signatures import read_signature

if TYPE_CHECKING:
    from perfproof.cuda.launching import Launched, Launcher

Extent = int | tuple[int, ...]


def source(
    file: str | os.PathLike[str],
    *,
    defines: Mapping[str, object] | None = None,
    options: Sequence[str] = (),
    arch: str | None = None,
) -> "Kernels":
    """The kernels of the .cu beside `file` (`__file__`, or the .cu itself); nothing is compiled yet.

    Compiled for the GPU that the kernel is launched on; `arch="100a"` asks for that one and no other.
    """
    if isinstance(options, str):
        raise CudaError(f"options is one string; write a tuple: options=({options!r},)")
    if any(option.startswith(("--gpu-architecture", "-arch", "--gpu-arch")) for option in options):
        raise CudaError("options names an architecture; write arch='90a' instead")
    path = Path(os.path.abspath(file)).with_suffix(".cu")
    build = Build(path, parse(arch) if arch else "", plain_defines(defines or {}), tuple(options))
    return Kernels(build)


class Kernels:
    """`kernels.name`, or `kernels["name<float, 4>"]` for an instance of a template."""

    def __init__(self, build: Build):
        self._build = build
        self._images: dict[tuple[str, tuple[str, ...]], Image] = {}
        self._found: dict[str, Kernel] = {}

    def __getattr__(self, name: str) -> "Kernel":
        if name.startswith("_"):  # asked by Python and by notebooks, never a kernel
            raise AttributeError(name)
        kernel = self[name]
        self.__dict__[name] = kernel  # the next time it is found without coming here
        return kernel

    def __getitem__(self, name: str) -> "Kernel":
        if name not in self._found:
            self._found[name] = Kernel(self, name)
        return self._found[name]

    def __repr__(self) -> str:
        return f"<kernels of {self._build.path.name}>"

    def kernel_launches(self) -> "list[Launched]":
        """What was launched so far, with registers, shared memory and occupancy."""
        launchers = (kernel._launcher for kernel in self._found.values())
        return [one for launcher in launchers if launcher for one in launcher.launched()]

    def _image(self, architecture: str, expressions: tuple[str, ...]) -> Image:
        wanted = (architecture, expressions)
        if wanted not in self._images:
            self._images[wanted] = compiled(replace(self._build, architecture=architecture, expressions=expressions))
        return self._images[wanted]


class Kernel:
    """One kernel. Called with tensors, numbers and a launch; its parameter types are those of its C++ signature."""

    def __init__(self, kernels: Kernels, name: str):
        self.name = name
        self._kernels = kernels
        self._launcher: Launcher | None = None

    def __call__(
        self,
        *arguments: Any,
        grid: Extent,
        block: Extent,
        shared: int = 0,
        cluster: Extent | None = None,
        cooperative: bool = False,
        pdl: bool = False,
    ) -> None:
        """Launch on torch's current device and stream; does not wait.

        `shared` is dynamic shared memory in bytes; `pdl` lets the launch begin before the one before it has ended
        (programmatic dependent launch): the kernel has to wait for it itself.
        """
        launcher = self._launcher or self._wake()
        launcher.launch(arguments, (grid, block, shared, cluster, cooperative, pdl))

    def as_node(self, arguments: tuple, asked: tuple, use: Callable[[Any], Any]) -> Any:
        """Hand the launch to `use` as the driver's parameters of a graph's node."""
        return (self._launcher or self._wake()).as_node(arguments, asked, use)

    def resident_blocks(self, *, block: Extent, shared: int = 0) -> int:
        """How many blocks run at once on the current device: the most that a cooperative launch may ask for."""
        return (self._launcher or self._wake()).resident_blocks(block, shared)

    @property
    def resources(self) -> Resources:
        """Registers, shared and local memory: for the current GPU, or without one for `arch`, else for sm_90a."""
        import torch

        if torch.cuda.is_available():
            return (self._launcher or self._wake()).resources()
        return self.compiled_for(self.file_architecture or USUAL[0])[2]

    @property
    def file_architecture(self) -> str:
        """The architecture that the source insists on; empty where it follows the device."""
        return self._kernels._build.architecture

    @property
    def file(self) -> Path:
        return self._kernels._build.path

    def compiled_for(self, architecture: str) -> tuple[bytes, str, Resources]:
        """The binary, the kernel's name in it, and what it takes."""
        instance = "<" in self.name
        image = self._kernels._image(architecture, (self.name,) if instance else ())
        lowered = image.lowered[self.name] if instance else self._only_one_called(image)
        return image.cubin, lowered, image.kernels[lowered]

    def architecture_for(self, capability: tuple[int, int]) -> str:
        return self.file_architecture or of_capability(capability)

    def _wake(self) -> "Launcher":
        from perfproof.cuda.launching import Launcher  # imports torch, which a compile check does not need

        self._launcher = Launcher(self)
        return self._launcher

    def _only_one_called(self, image: Image) -> str:
        found = [lowered for lowered, signature in image.signatures().items() if signature.is_called(self.name)]
        if len(found) == 1:
            return found[0]
        if found:
            both = " and ".join(str(read_signature(lowered)) for lowered in found[:2])
            raise CudaError(f"{self.file.name} has {len(found)} kernels called {self.name}: {both}; rename one")
        declared = kernels_named_in(self.file.read_text(errors="replace"))
        if self.name in declared:
            raise CudaError(f"{self.file.name}: {self.name} is a template; write kernels['{self.name}<...>']")
        has = ", ".join(declared) if declared else "none"
        raise CudaError(f"{self.file.name} has no kernel {self.name!r}; it has: {has}")
