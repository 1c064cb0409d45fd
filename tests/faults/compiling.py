"""Keep what torch's compiler says about graph breaks and recompilations: the text of TORCH_LOGS."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

LOG = "compile.log"
WARM_MARK = "perfproof: warm-up is over"  # what the reader of such logs looks for


@contextmanager
def log_of(folder: Path) -> Iterator[None]:
    """What TORCH_LOGS=graph_breaks,recompiles prints on the error stream goes to a file."""
    before = os.dup(2)
    with (folder / LOG).open("w") as file:
        os.dup2(file.fileno(), 2)
        torch._logging.set_logs(graph_breaks=True, recompiles=True)
        try:
            yield
        finally:
            torch._logging.set_logs()
            os.dup2(before, 2)
            os.close(before)


def say_warm() -> None:
    """From here on nothing should be compiled any more."""
    print(WARM_MARK, file=sys.stderr, flush=True)
