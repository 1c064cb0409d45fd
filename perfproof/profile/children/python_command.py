"""Run a Python program as `python` itself would, inside `capture()`: a script, `-m module` or `-c code`.

Started by its path with the user's interpreter, which need not have perfproof. The program's exit code is ours.
"""

import importlib.util
import os
import runpy
import sys
from types import ModuleType
from typing import Any


def main(arguments: list[str]) -> Any:
    """What the program exits with: a number, a text or None, as sys.exit takes it."""
    capture = _sibling("capture").capture
    code: Any = None
    with capture():
        try:
            _run(arguments)
        except SystemExit as exit:  # the recording is written before the interpreter ends
            code = exit.code
        except KeyboardInterrupt:
            code = 130
    return code


def _run(arguments: list[str]) -> None:
    """With sys.argv, sys.path and __main__ as the program expects them."""
    what, *rest = arguments
    if what == "-m":
        sys.argv, sys.path[0] = rest, os.getcwd()
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        return
    program = ModuleType("__main__")  # kept after the end: what the program left for atexit still finds its names
    if what == "-c":
        sys.argv, sys.path[0], text = ["-c", *rest[1:]], "", rest[0].encode()
    else:
        with open(what, "rb") as file:
            text = file.read()
        program.__file__ = os.path.abspath(what)
        sys.argv, sys.path[0] = arguments, os.path.dirname(program.__file__)
    sys.modules["__main__"] = program
    exec(compile(text, what if what != "-c" else "<string>", "exec"), program.__dict__)


def _sibling(name: str) -> ModuleType:
    """By its path: the folder of this file must not be one to import from."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"_perfproof_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
