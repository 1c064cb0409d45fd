"""Compile a Triton kernel for a GPU that is not here: its shared memory, and whether its loads are pipelined."""

from dataclasses import dataclass
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

SHARED_LIMIT = 227 * 1024  # bytes that one block may have on Hopper and on data-centre Blackwell


@dataclass(frozen=True)
class Built:
    shared: int  # bytes
    ptx: str

    @property
    def is_pipelined(self) -> bool:
        """Are tiles loaded while others are computed on?"""
        return "cp.async" in self.ptx


def build(kernel: Any, types: dict[str, str], constants: dict[str, Any], capability: int, **options: int) -> Built:
    """`types` by parameter: "*fp16", "i32", "fp32". Pointers and sizes that torch gives are multiples of 16."""
    names = kernel.arg_names
    signature = {name: "constexpr" if name in constants else types[name] for name in names}
    aligned = {(at,): [["tt.divisibility", 16]] for at, name in enumerate(names) if signature[name].startswith("*")}
    source = ASTSource(kernel, signature, {(names.index(name),): value for name, value in constants.items()}, aligned)
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    assert compiled.asm["cubin"][:4] == b"\x7fELF"
    return Built(compiled.metadata.shared, compiled.asm["ptx"])
