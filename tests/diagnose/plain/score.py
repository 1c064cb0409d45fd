"""Print what is said about every program of the halves: python -m tests.diagnose.plain.score first_gpu first_cpu"""

import importlib
import sys
import tempfile
from pathlib import Path

from tests.diagnose.plain.recording import diagnosed, is_right, on_simulated_gpu, on_this_cpu


def main(halves):
    for half in halves:
        record = on_simulated_gpu if half.endswith("gpu") else on_this_cpu
        causes = importlib.import_module(f"tests.diagnose.plain.{half}").CAUSES
        right = 0
        with tempfile.TemporaryDirectory() as folder:
            for program, wanted in causes.items():
                found = diagnosed(record(program, Path(folder)))
                good = is_right(found, wanted)
                right += good
                said = [(one.rule, one.confidence, round(one.share or 0, 2)) for one in found.findings[:4]]
                print(
                    f"{'right' if good else 'WRONG'} {half}.{program.__name__}: {sorted(wanted) or 'healthy'}; {said}"
                )
                print("     ", found.steps[0].model_dump() if found.steps else "no steps")
        print(f"{half}: {right} of {len(causes)}")


if __name__ == "__main__":
    main(sys.argv[1:])
