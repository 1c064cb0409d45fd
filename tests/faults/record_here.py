"""Record faults that need no GPU, all with one import of torch: `python tests/faults/record_here.py OUT [NAME ...]`.

Each is recorded by a fork of its own, into OUT/<name>. The exit status is that of the worst.
"""

import importlib
import os
import sys
import traceback
from pathlib import Path

import torch._dynamo  # noqa: F401  # the profiler and the compiler import it: once here, not in every fork
from recording import start

NAMES = (
    "healthy",
    "input_bound",
    "small_operators",
    "wrong_precision",
    "allocator_churn",
    "profiler_overhead",
    "graph_breaks",
    "recompiles",
    "exposed_communication",
    "straggler_rank",
    "known_overlap",
    "gil_bound",
    "throttled",
)


def main() -> int:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, names = Path(sys.argv[1]), sys.argv[2:] or NAMES
    failed = [name for name in names if in_a_fork(name, folder / name)]
    print(f"not recorded: {', '.join(failed)}" if failed else "all recorded", file=sys.stderr)
    return bool(failed)


def in_a_fork(name: str, folder: Path) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            start(importlib.import_module(name).record, folder)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    sys.exit(main())
