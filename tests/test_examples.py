"""The programs under docs/examples do what their first lines say."""

import re
import subprocess
import sys
from pathlib import Path

TRAIN = Path(__file__).parents[1] / "docs" / "examples" / "train.py"


def test_the_training_example_learns_and_ends_with_its_throughput():
    small = ["--batch", "4", "--length", "32", "--width", "64", "--layers", "1"]
    losses = []
    for steps in ("1", "30"):
        command = [sys.executable, str(TRAIN), "--steps", steps, *small]
        done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=True)
        loss, throughput = done.stdout.splitlines()
        assert re.fullmatch(r"tokens/s: \d+", throughput)
        losses.append(float(loss.removeprefix("mean loss: ")))
    assert losses[1] < losses[0]
