"""Loaded by every Python that starts with this folder on PYTHONPATH: a rank of a job records itself to its end.

A rank is a process with RANK in its environment; the launcher has none and is left alone. A sitecustomize that the
interpreter has of its own is loaded as well.
"""

import atexit
import importlib
import importlib.util
import os
import sys
from contextlib import suppress

FOLDER = os.path.dirname(os.path.abspath(__file__))


def load_their_own() -> None:
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != FOLDER]
    ours = sys.modules.pop("sitecustomize", None)
    with suppress(ImportError):
        importlib.import_module("sitecustomize")
    if ours is not None:
        sys.modules.setdefault("sitecustomize", ours)


def record() -> None:
    spec = importlib.util.spec_from_file_location("_perfproof_capture", os.path.join(FOLDER, "..", "capture.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    recording = module.capture()
    recording.__enter__()
    atexit.register(recording.__exit__, None, None, None)


if "RANK" in os.environ and "PERFPROOF_CAPTURE" in os.environ:
    record()
load_their_own()
