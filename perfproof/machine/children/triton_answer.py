"""Run a Triton kernel, compiled on a GPU and through the interpreter elsewhere; one JSON line says how it went.

The parent sets TRITON_INTERPRET: Triton reads it when it is imported.
"""

import importlib
import json
import os
import sys
from typing import Any

triton: Any = importlib.import_module("triton")
tl: Any = importlib.import_module("triton.language")


@triton.jit
def add_one(data, BLOCK: tl.constexpr):
    place = tl.arange(0, BLOCK)
    tl.store(data + place, tl.load(data + place) + 1)


def main() -> int:
    torch = importlib.import_module("torch")
    interpreted = os.environ.get("TRITON_INTERPRET") == "1"
    data = torch.zeros(16, device="cpu" if interpreted else "cuda")
    add_one[(1,)](data, BLOCK=16)
    print(json.dumps({"ok": bool((data == 1).all()), "version": triton.__version__}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
