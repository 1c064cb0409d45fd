"""A hook cannot be taken away again, so each of these listens in an interpreter of its own."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import sys, types
from perfproof.worker.verify.intruders import listen

heard = listen()
module = types.ModuleType("_pair_1_file")
sys.modules[module.__name__] = module
exec(compile({source!r}, "file.py", "exec"), vars(module))
print(heard)
"""


def heard(source: str) -> str:
    program = PROGRAM.format(source=textwrap.dedent(source))
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import sys; getattr(sys, '_get' + 'frame')()", "sys._getframe used"),
        ("import sys; vars(sys)['_current' + '_frames']()", "sys._current_frames used"),
        ("import inspect; inspect.stack()", "sys._getframe used"),
        ("import gc; getattr(gc, 'get_' + 'objects')()", "gc.get_objects used"),
        ("import gc; gc.get_referrers(gc)", "gc.get_referrers used"),
        ("import sys; sys.settrace(None)", "sys.settrace used"),
        ("def f(): pass\nf.__code__ = (lambda: 1).__code__", "__code__ used"),
        ("try:\n    1 / 0\nexcept Exception as e:\n    getattr(e.__traceback__, 'tb_' + 'frame')", "tb_frame used"),
        ("import os\nif getattr(os, 'fo' + 'rk')() == 0:\n    os._exit(0)", "os.fork used"),
        ("exec('import sys; sys._getframe()', {})", "sys._getframe used"),
    ],
)
def test_an_intruder_is_heard_once(source, what):
    assert heard(f"{source}\n") == f"[{what!r}]"
    assert heard(f"for _ in range(2):\n{textwrap.indent(source, '    ')}\n") == f"[{what!r}]"


@pytest.mark.parametrize(
    "source",
    [
        "import collections; collections.namedtuple('P', 'x y')(1, 2)",
        "import logging; logging.getLogger('pair').error('hello')",
        "import warnings; warnings.warn('hello')",
        "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int = 1\nA()",
        "import enum\nE = enum.Enum('E', 'a b')",
        "import typing\nT = typing.TypeVar('T')\nclass N(typing.NamedTuple):\n    x: int",
        "import traceback\ntry:\n    1 / 0\nexcept Exception:\n    traceback.format_exc()",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
        "import gc; gc.collect(); gc.disable(); gc.enable()",
        "import inspect; inspect.signature(print); inspect.getsource(inspect)",
        "import torch; torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()",
        "import multiprocessing as m\np = m.get_context('fork').Process(target=print)\np.start()\np.join()",
    ],
)
def test_what_a_library_does_for_a_pair_is_not_its_doing(source):
    assert heard(source) == "[]"
