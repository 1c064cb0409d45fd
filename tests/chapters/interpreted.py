"""What a test file prints as JSON when it is run as a program in which Triton interprets its kernels."""

import json
import os
import sys
from typing import Any

import torch

from tests.chapters.loaded_pair import CHAPTERS
from tests.warm_python import WarmPython


def interpreted_by(warm: WarmPython, module: str, **variables: str) -> dict:
    """No variable is added that an interpreter reads at its start: the program would not be a fork."""
    environment = os.environ | {"TRITON_INTERPRET": "1"} | variables
    command, root = [sys.executable, "-m", module], CHAPTERS.parent
    child = warm.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=400)
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)


def round_to_e4m3_as_torch_does() -> None:
    """Triton's interpreter loses a carry there: 127 becomes 64."""
    from triton.runtime import interpreter

    theirs = interpreter._convert_float

    def convert(values: Any, before: Any, after: Any, mode: Any) -> Any:
        if after.name != "fp8e4nv":
            return theirs(values, before, after, mode)
        return torch.from_numpy(values.astype("float32")).to(torch.float8_e4m3fn).view(torch.uint8).numpy()

    interpreter._convert_float = convert
