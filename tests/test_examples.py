"""The programs under docs/examples do what their first lines say."""

import re
import runpy
import sys
from pathlib import Path

TRAIN = Path(__file__).parents[1] / "docs" / "examples" / "train.py"


def test_the_training_example_learns_and_ends_with_its_throughput(monkeypatch, capsys):
    small = ["--batch", "4", "--length", "32", "--width", "64", "--layers", "1"]
    losses = []
    for steps in ("1", "30"):
        monkeypatch.setattr(sys, "argv", [str(TRAIN), "--steps", steps, *small])
        runpy.run_path(str(TRAIN), run_name="__main__")
        loss, throughput = capsys.readouterr().out.splitlines()
        assert re.fullmatch(r"tokens/s: \d+", throughput)
        losses.append(float(loss.removeprefix("mean loss: ")))
    assert losses[1] < losses[0]
