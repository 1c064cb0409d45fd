"""The fault: a thread that feeds the step parses text in Python, and takes the interpreter's lock from it.

The program, `feeding.py`, is watched by py-spy as a child of it: that needs no rights.
"""

import subprocess
import sys
from pathlib import Path

from recording import main

WATCHED = Path(__file__).with_name("feeding.py")


def record(folder: Path) -> None:
    watch = ["py-spy", "record", "--gil", "--threads", "-r", "200", "-f", "raw", "-o", str(folder / "gil.txt")]
    subprocess.run([*watch, "--", sys.executable, str(WATCHED)], check=True)


if __name__ == "__main__":
    main(record)
