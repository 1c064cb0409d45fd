import pytest

LOOKS = [
    ("import sys", "sys._getframe(1)", "sys._getframe"),
    ("import sys as s", "s._getframe(1)", "sys._getframe"),
    ("from sys import _getframe", "_getframe(1)", "sys._getframe"),
    ("import sys", 'getattr(sys, "_getframe")(1)', "sys._getframe"),
    ("import sys", 'vars(sys)["_getframe"](1)', "sys._getframe"),
    ("import sys", "sys._current_frames()", "sys._current_frames"),
    ("import sys", "sys.settrace(None)", "sys.settrace"),
    ("import threading", "threading.setprofile(None)", "sys.setprofile"),
    ("import sys", 'sys.modules["__main__"]', "sys.modules"),
    ("import inspect", "inspect.stack()", "inspect.stack"),
    ("import inspect", "inspect.currentframe()", "inspect.currentframe"),
    ("import inspect as i", "i.trace()", "inspect.trace"),
    ("from inspect import stack as s", "s()", "inspect.stack"),
    ("import inspect", 'getattr(inspect, "stack")()', "inspect.stack"),
    ("import gc", "gc.get_objects()", "gc.get_objects"),
    ("import gc", "gc.get_referrers(x)", "gc.get_referrers"),
    ("import gc", "gc.get_referents(x)", "gc.get_referents"),
    ("from gc import *", "get_objects()", "from gc import *"),
    ("import ctypes", "ctypes.memmove(1, 2, 3)", "ctypes.memmove"),
    ("import ctypes", "ctypes.pythonapi.PyEval_GetFrame()", "ctypes.pythonapi"),
    ("import ctypes", "ctypes.c_char.from_address(1)", "ctypes from_address"),
    ("", "(lambda e: e.__traceback__.tb_frame)(x)", "tb_frame"),
    ("import __main__", "__main__", "import __main__"),
    ("import perfproof.worker.target", "1", "import perfproof.worker.target"),
    ("from perfproof import stats", "1", "import perfproof"),
    ("", "x.tb_ｆrame", "tb_frame"),  # Python reads the wide letter as a plain one
]


@pytest.mark.parametrize(("imported", "expression", "what"), LOOKS)
def test_code_that_looks_into_the_harness_is_refused(refused, changed, imported, expression, what):
    text = changed("    return x + weight\n", f"    {imported or 'pass'}\n    {expression}\n    return x + weight\n")
    assert f"looks into the harness ({what}); a timed function may only use its arguments" in refused(text)


def test_the_line_is_named(refused, changed):
    assert refused(changed("import torch\n", "import torch\nimport inspect\n\ninspect.stack()\n")).startswith(
        ":9: looks into"
    )


@pytest.mark.parametrize("expression", ["os.fork()", "os.forkpty()"])
def test_a_fork_of_the_harness_is_refused(refused, changed, expression):
    message = refused(changed("import torch\n", f"import os\n\n{expression}\n"))
    assert f"copies the harness ({expression[:-2]}); start a process with `subprocess`" in message


@pytest.mark.parametrize(
    "line",
    [
        "import os, sys, gc, inspect, ctypes",
        "STACK = torch.stack",
        "TRACE = torch.trace",
        "import gc; gc.collect()",
        "import sys; sys.version_info",
        "import perfproof.cuda",
        "from perfproof.engine import Engine",
        "from perfproof import cuda",
        "NOTE = 'never use sys._getframe here'",
    ],
)
def test_what_merely_sounds_like_it_is_fine(accepted, valid, line, tmp_path):
    (tmp_path / "pair.cu").write_text("__global__ void add() {}\n")  # a pair that imports the loader has kernels
    accepted(f"{valid}{line}\n")


def test_imports_are_found_anywhere_in_the_file(accepted, changed):
    pair = accepted(
        changed("    return x + weight\n", "    import numpy.linalg as la\n    from triton import cdiv\n    return x\n")
    )
    assert pair.imports == ("torch", "numpy", "triton")


def test_the_word_import_in_a_docstring_is_no_import(accepted, changed):
    assert accepted(changed("Why it works.", "It is important to import nothing.")).imports == ("torch",)


def test_a_relative_import_is_refused(refused, changed):
    said = refused(changed("import torch", "from . import other"))
    assert ":6: a relative import; a pair is loaded by itself: import from the pair's folder" in said
