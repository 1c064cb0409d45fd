"""What a test file prints as JSON when it is run as a program in which Triton interprets its kernels."""

import json
import os
import sys

from tests.chapters.loaded_pair import CHAPTERS
from tests.warm_python import WarmPython


def interpreted_by(warm: WarmPython, module: str, **variables: str) -> dict:
    """No variable is added that an interpreter reads at its start: the program would not be a fork."""
    environment = os.environ | {"TRITON_INTERPRET": "1"} | variables
    command, root = [sys.executable, "-m", module], CHAPTERS.parent
    child = warm.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=400)
    assert child.returncode == 0, child.stderr
    return json.loads(child.stdout)
