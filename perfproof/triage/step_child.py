"""One snapshot step in a process of its own: `python -m perfproof.triage.step_child NAME FOLDER`.

A process, because only a process can be ended at a deadline, whatever it hangs in.
"""

import importlib
import sys
from pathlib import Path

from perfproof.triage.evidence import Absent, Evidence


def main(name: str, folder: str) -> None:
    evidence = Evidence(name, Path(folder))
    try:
        importlib.import_module(f"perfproof.triage.steps.{name}").collect(evidence)
        evidence.write_record("ok")
    except Absent as absent:
        evidence.write_record("absent", str(absent))
    except PermissionError as error:
        evidence.write_record("denied", f"{error.filename}: {error.strerror}")
    except Exception as error:
        evidence.write_record("failed", f"{type(error).__name__}: {error}"[:500])


if __name__ == "__main__":
    main(*sys.argv[1:])
