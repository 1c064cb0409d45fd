"""Libraries that a pair imports: told from the user's files, loaded before the pair, and in a parent of their own."""

import os
import signal
import site
import sys
import time
from collections import Counter
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from perfproof.bench.launches import Launches
from perfproof.worker import libraries


def read_text(path):
    return Path(path).read_text()


def test_what_is_installed_is_a_library_and_what_lies_beside_a_pair_is_not(tmp_path, monkeypatch):
    (tmp_path / "my_helper.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert libraries.installed(["json", "sys", "numpy", "my_helper", "not_there_at_all"]) == ["json", "sys", "numpy"]


def test_packages_below_an_environment_are_libraries_and_a_folder_named_like_theirs_is_not(
    tmp_path,
):
    beside = tmp_path / "lib" / "site-packages" / "numpy.py"
    (base, *_) = site.getsitepackages([sys.base_prefix])
    assert libraries.is_installed(f"{base}/numpy/__init__.py") and not libraries.is_installed(str(beside))


def test_what_cannot_be_imported_is_left_to_whoever_needs_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert libraries.load(["json", "colorsys", "not_there_at_all"]) == ["colorsys", "not_there_at_all"]
    assert "colorsys" in sys.modules


def test_modules_of_a_pair_or_of_the_user_are_none_of_a_library(tmp_path, monkeypatch):
    (tmp_path / "my_helper.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    monkeypatch.setattr(libraries, "compiled_graphs", lambda: 0)
    before = frozenset(sys.modules)
    import colorsys  # noqa: F401

    import my_helper  # noqa: F401

    sys.modules["_pair_1_x"] = ModuleType("_pair_1_x")
    try:
        assert libraries.loaded_since(before) == ["colorsys"]
    finally:
        del sys.modules["_pair_1_x"], sys.modules["my_helper"]


def test_only_what_has_compiled_something_needs_what_a_compiler_works_out(monkeypatch):
    counters = {"stats": Counter(unique_graphs=2)}
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", SimpleNamespace(counters=counters))
    assert libraries.compiled_graphs() == 2
    assert libraries.loaded_since(frozenset(sys.modules)) == [libraries.COMPILES]
    counters["stats"].clear()
    assert libraries.loaded_since(frozenset(sys.modules)) == []


@pytest.mark.parametrize(
    ("text", "compilers"),
    [
        ("torch.compile(f)", [*libraries.COMPILERS]),
        ("torch.optim.SGD(weights)\ntorch.compile(f)", [*libraries.COMPILERS]),
        ("torch.optim.SGD(weights)", ["torch._dynamo"]),
        ("from torch import nn, optim", ["torch._dynamo"]),
        ("from torch.utils.checkpoint import checkpoint", ["torch._dynamo"]),
        ("import torch\nload(checkpoint)\noptim = 1", []),
    ],
)
def test_a_file_that_compiles_is_seen_by_its_text(tmp_path, text, compilers):
    (tmp_path / "pair.py").write_text(text)
    assert libraries.compilers_in(str(tmp_path / "pair.py")) == compilers
    assert libraries.compilers_in("") == []


NAMES = ["colorsys", *(f"encodings.cp{number}" for number in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258))]


def test_workers_come_with_the_libraries_of_a_target_and_without_them_afterwards(launches):
    plain = launches.get(0)
    launches.import_libraries(NAMES)
    grown = launches.get(0)
    assert grown is not plain and grown.process.pid != plain.process.pid
    with grown.fork() as worker:
        assert worker.pid
    launches.forget_libraries()
    assert launches.get(0) is plain and grown.ended
    with plain.fork() as worker:
        assert worker.pid


MORE = [f"encodings.iso8859_{number}" for number in range(1, 12)]


def test_libraries_that_are_found_later_are_imported_in_a_child_of_the_parent_with_the_first(launches):
    launches.import_libraries(NAMES)
    first = launches.get(0)
    launches.import_libraries([*NAMES, *MORE])
    second = launches.get(0)
    assert second is not first and not first.ended
    assert read_text(f"/proc/{second.process.pid}/stat").split()[3] == str(first.process.pid)
    launches.import_libraries([*NAMES, *MORE])
    assert launches.get(0) is second  # nothing new
    launches.forget_libraries()
    assert first.ended and second.ended and launches.get(0) is launches._lines[0].launches[0]


def test_a_parent_that_a_target_killed_is_replaced_with_its_libraries(launches):
    launches.import_libraries(NAMES)
    grown = launches.get(0)
    os.kill(grown.process.pid, signal.SIGKILL)
    while not grown.ended:
        time.sleep(0.01)
    assert not launches.get(0).ended and launches.get(0) is not launches._lines[0].launches[0]
    launches.forget_libraries()


def test_a_compiler_is_worth_a_process_though_it_is_one_name():
    assert libraries.worth_a_process([libraries.COMPILERS[0]]) and not libraries.worth_a_process(["colorsys"])


def test_few_libraries_are_not_worth_a_process(launches):
    launches.import_libraries(["colorsys"])
    assert launches.get(0) is launches._lines[0].launches[0]


NATIVE = """
import ctypes
libc = ctypes.CDLL(None)
thread = ctypes.c_ulong()
assert libc.pthread_create(ctypes.byref(thread), None, ctypes.cast(libc.pause, ctypes.c_void_p), None) == 0
"""
PARALLEL = """
import torch
torch.set_num_threads(2)
torch.randn(1 << 20).sum()
"""
IN_PYTHON = """
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


@pytest.fixture(scope="module")
def pool_with_threads(tmp_path_factory):
    """An interpreter of two threads of torch's, with three libraries that start a thread when they are imported."""
    folder = tmp_path_factory.mktemp("threads")
    (folder / "starts_a_thread.py").write_text(IN_PYTHON)
    (folder / "starts_a_native_thread.py").write_text(NATIVE)
    (folder / "starts_a_pool.py").write_text(PARALLEL)
    pool = Launches({**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "2"})
    yield pool
    pool.close()


@pytest.fixture
def threads(pool_with_threads):
    yield pool_with_threads
    pool_with_threads.forget_libraries()


def test_a_parent_whose_libraries_start_threads_is_not_forked_from(threads):
    """Threads do not survive a fork."""
    threads.import_libraries([*NAMES, "starts_a_thread"])
    assert threads.get(0) is threads._lines[0].launches[0]
    threads.forget_libraries()
    threads.import_libraries(NAMES)
    assert threads.get(0) is not threads._lines[0].launches[0]


@pytest.mark.parametrize(
    ("library", "fit"),
    [("starts_a_native_thread", True), ("starts_a_pool", False)],
    ids=["sleeps", "holds the pool of a parallel region"],
)
def test_a_native_thread_counts_only_if_a_child_cannot_compute_without_it(threads, library, fit):
    """A driver or an allocator may have a thread; a child of one that ran a parallel region waits for ever."""
    threads.import_libraries([*NAMES, library])
    assert (threads.get(0) is not threads._lines[0].launches[0]) is fit


class Instructions:
    """Vector instructions of a processor; asking whether they work builds a program."""

    def __init__(self, name, work=True):
        self.name, self.work, self.built = name, work, 0

    def __str__(self):
        return self.name

    def __bool__(self):
        if (said := sys.modules["torch._inductor.config"].cpp.vec_isa_ok) is not None:
            return said
        self.built += 1
        return self.work


def chosen(monkeypatch, *known, here=("avx2", "avx512")):
    """The first that work, as Inductor chooses."""
    config = SimpleNamespace(cpp=SimpleNamespace(vec_isa_ok=None))
    able = [one for one in known if set(str(one).split()) <= set(here)]
    found = SimpleNamespace(
        x86_isa_checker=lambda: list(here),
        supported_vec_isa_list=list(known),
        pick_vec_isa=lambda: picked.extend(one for one in able if one),
    )
    picked: list[Instructions] = []
    monkeypatch.setitem(sys.modules, "torch._inductor.config", config)
    monkeypatch.setitem(sys.modules, "torch._inductor.cpu_vec_isa", found)
    monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
    libraries._choose_instructions()
    assert config.cpp.vec_isa_ok is None, "what Inductor is told is as before"
    return picked[0]


def test_one_program_is_built_for_the_instructions_that_are_chosen(monkeypatch):
    known = [Instructions("avx512 amx"), Instructions("avx512"), Instructions("avx2")]
    assert chosen(monkeypatch, *known) is known[1]
    assert [one.built for one in known] == [0, 1, 0]


def test_if_the_best_instructions_do_not_work_the_others_are_tried(monkeypatch):
    known = [Instructions("avx512", work=False), Instructions("avx2")]
    assert chosen(monkeypatch, *known) is known[1] and known[1].built


def test_graph_breaks_come_with_torchs_own_reason(monkeypatch):
    reasons = {"Data-dependent branching\n  Explanation: a long text": 3}
    utils = SimpleNamespace(counters={"graph_break": Counter(), "unimplemented": Counter(reasons)})
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", utils)
    assert libraries.graph_breaks() == ["Data-dependent branching"]
    utils.counters["unimplemented"].clear()
    assert libraries.graph_breaks() == [], "one graph, no break"
