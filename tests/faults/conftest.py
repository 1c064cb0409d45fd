"""The faults that a CPU shows, recorded once for all tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RECORD = Path(__file__).with_name("record_here.py")
DEADLINE_SECONDS = 560  # below the timeout of a test; the recordings take about 20 s


@pytest.fixture(scope="session")
def planted(tmp_path_factory):
    """The folder with a folder for each fault, and what was said while they were recorded."""
    folder = tmp_path_factory.mktemp("planted")
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])  # where py-spy is
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TORCH")}
    environment |= {"PATH": beside, "CUDA_VISIBLE_DEVICES": ""}
    ran = subprocess.run(
        [sys.executable, str(RECORD), str(folder)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )
    return folder, ran.stderr
