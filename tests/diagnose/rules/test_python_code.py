"""Work of libraries that has a name, and other code outside of operators, is named with its line."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import host_waits, python_code
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import on_cpu, stacks


@pytest.mark.parametrize(
    ("called", "what"),
    [
        ("logging:debug;logging:_log", "logging"),
        ("logging:debug;torch._tensor:__repr__;torch._tensor_str:_str;[aten::abs]", "logging"),
        ("torch.serialization:save;torch.serialization:_save;[waits]", "checkpoint"),
        ("copy:deepcopy;copy:_reconstruct;[aten::clone]", "copying"),
        ("pandas.core.frame:apply;pandas.core.apply:apply_standard", "row"),
        ("json:loads;json.decoder:decode", "parsing"),
        ("numpy.lib._npyio_impl:load", "files"),
    ],
)
def test_work_of_a_known_library_is_named_with_the_line_that_calls_it(called, what):
    found = python_code.find(
        Evidence(stacks=stacks(f"main (train.py:9);{called} 400", "main (train.py:7);[aten::mm] 600"))
    )
    assert what in found.title and found.confidence == "high" and found.share == pytest.approx(0.4)
    assert "main (train.py:9)" in found.evidence[0].text


def test_a_function_that_a_table_calls_back_is_still_the_tables_work():
    lines = ["<module> (prep.py:9);pandas.core.frame:apply;pandas.core.apply:apply_standard;score (prep.py:4) 900"]
    assert "row" in python_code.find(Evidence(stacks=stacks(*lines))).title


@pytest.mark.parametrize(("drawn", "what"), [(300, ""), (500, "random numbers")])
def test_work_that_may_be_what_the_program_is_for_comes_first_only_if_it_is_much(drawn, what):
    lines = stacks(f"move (a.py:9);random:choice;[python] {drawn}", f"move (a.py:5);[python] {1000 - drawn}")
    found = python_code.find(Evidence(stacks=lines))
    assert what in found.title and (not what or found.confidence == "low")


def test_a_training_step_of_operators_is_no_finding():
    lines = ["main (train.py:7);[aten::mm] 900", "main (train.py:8);torch.optim.adam:step 60", "main (train.py:9) 40"]
    assert python_code.find(on_cpu().evidence(stacks=stacks(*lines))) is None
    assert host_waits.find(on_cpu().evidence(stacks=stacks(*lines))) is None


def test_other_code_is_no_finding_if_the_program_computes_without_operators():
    lines = stacks("main (prep.py:5) 900", "main (prep.py:6) 100")
    assert python_code.find(Evidence(stacks=lines)) is None
    assert python_code.find(on_cpu().evidence(stacks=lines)).confidence == "high"


def test_python_in_a_program_without_operators_is_told_from_array_libraries_by_the_interpreters_lock():
    lines = stacks("flatten (prep.py:5);[python] 700", "flatten (prep.py:6) 300")
    found = python_code.find(Evidence(stacks=lines))
    assert found.confidence == "medium" and found.share == pytest.approx(0.7)
    assert "flatten (prep.py:5) 70 %" in found.evidence[0].text
    products = stacks("main (prep.py:5) 900", "main (prep.py:6);[python] 100")
    assert python_code.find(Evidence(stacks=products)) is None


def test_a_program_of_python_whose_time_is_in_no_one_function_is_not_told_so_with_confidence():
    lines = stacks(*(f"function{at} (sim.py:{at});[python] 100" for at in range(1, 11)))
    assert python_code.find(Evidence(stacks=lines)).confidence == "low"


def test_the_advice_fits_what_the_line_looks_like():
    lines = stacks("schedule (sim.py:5);[runs] pending.sort(key=when);[python] 900", "main (sim.py:9);[python] 100")
    assert "heapq" in python_code.find(Evidence(stacks=lines)).advice


@pytest.mark.parametrize(
    ("function", "title", "advice"),
    [
        ("__eq__", "compared one by one", "__hash__"),
        ("__lt__", "to sort them", "key="),
        ("__getattr__", "attributes", "variable"),
        ("visit", "Python code takes the time", "whole arrays"),
    ],
)
def test_methods_that_no_line_names_are_told_by_what_calls_them(function, title, advice):
    found = python_code.find(
        Evidence(stacks=stacks(f"main (a.py:9);{function} (a.py:3);[python] 900", "main (a.py:8) 100"))
    )
    assert title in found.title and advice in found.advice


def test_late_input_keeps_its_time_and_gets_the_line():
    program = Program(step=1000)
    program.each_step(Kind.OPERATOR, "aten::lift_fresh", 600, 620)
    program.each_step(Kind.OPERATOR, "aten::linear", 620, 1000)
    lines = stacks("make_batch (train.py:4) 600", "main (train.py:9);[aten::linear] 400")
    first, *others = diagnose(program.evidence(stacks=lines)).findings
    assert first.rule == "input_bound" and any("make_batch" in proof.text for proof in first.evidence)
    assert all(one.confidence == "low" for one in others)


@pytest.mark.parametrize(
    ("frames", "what"),
    [
        ("evaluate (a.py:3);numba.core.dispatcher:_compile_for_args;numba.core.compiler:compile_extra", "numba"),
        ("numpy.lib._function_base_impl:append", "copying an array to add to it"),
        ("torch.nn.functional:linear;torch.fx.traceback:format_stack;[aten::linear]", "collecting stack traces"),
        ("torch.utils.data.dataloader:__iter__;multiprocessing.popen_fork:_launch", "starting and ending processes"),
        ("multiprocessing.connection:send;[waits]", "sending objects to other processes"),
        ("numpy.lib._npyio_impl:__getitem__;numpy.lib.format:read_array", "reading whole arrays of an archive"),
        ("re:subn;re:_compile;re._compiler:compile;re._parser:parse", "compiling regular expressions"),
        ("re:subn;re:_compile", "matching regular expressions"),
        ("scipy.sparse._index:__getitem__;scipy.sparse._csr:_get_sliceXint", "against its order"),
        ("scipy.sparse._index:__getitem__;scipy.sparse._csc:_get_intXslice", "against its order"),
    ],
)
def test_more_work_that_has_a_name(frames, what):
    found = python_code.find(Evidence(stacks=stacks(f"fit (a.py:3);{frames} 400", "fit (a.py:4);[aten::mm] 600")))
    assert what in found.title and "a.py:3" in found.evidence[0].text


@pytest.mark.parametrize("function", ["numpy.lib._histograms_impl:histogram", "numpy.lib._function_base_impl:interp"])
def test_functions_of_numpy_that_compute_do_not_read_files(function):
    found = python_code.find(Evidence(stacks=stacks(f"fit (a.py:3);{function} 400", "fit (a.py:4);[aten::mm] 600")))
    assert found is None or "files" not in found.title


@pytest.mark.parametrize("function", ["scipy.sparse._csc:_get_sliceXint", "scipy.sparse._csr:_get_intXslice"])
def test_rows_of_csr_and_columns_of_csc_are_taken_along_their_order(function):
    found = python_code.find(Evidence(stacks=stacks(f"fit (a.py:3);{function} 400", "fit (a.py:4);[aten::mm] 600")))
    assert found is None or "order" not in found.title


def test_helper_threads_of_a_library_do_not_hide_the_one_that_works():
    pool = "threading:run;multiprocessing.pool"
    lines = [
        "main (a.py:9);multiprocessing.pool:map;[waits] 1000",
        f"thread:tasks;{pool}:_handle_tasks;multiprocessing.connection:send 900",
        f"thread:results;{pool}:_handle_results;multiprocessing.connection:recv;[waits] 1000",
    ]
    found = diagnose(Evidence(stacks=stacks(*lines))).findings[0]
    assert "sending objects" in found.title and found.share == pytest.approx(1.0)
    assert "main (a.py:9)" in found.evidence[-1].text  # no line of the program is on the thread that works


def test_one_long_statement_of_a_database_may_be_what_the_program_is_for():
    found = python_code.find(Evidence(stacks=stacks("roll_up (a.py:9);[one call] sqlite3:Connection 900")))
    assert found.confidence == "low" and "long statements" in found.title and "EXPLAIN QUERY PLAN" in found.advice


@pytest.mark.parametrize(("until", "found"), [(950, False), (500, True)])
def test_what_the_host_does_beside_a_device_that_is_always_busy_costs_nothing(until, found):
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 10)
    program.each_step(Kind.OPERATOR, "aten::mul", 10, 20)
    program.busy(0, until, "gemm")
    evidence = program.evidence(stacks=stacks("main (a.py:3);logging:debug 400", "main (a.py:4);[aten::mm] 600"))
    assert (python_code.find(evidence) is not None) == found


def test_python_that_looks_things_up_is_no_fault_by_itself_and_arithmetic_on_items_is():
    def sure(text):
        lines = stacks(f"search (prep.py:5);[runs] {text};[python] 700", "search (prep.py:6) 300")
        return python_code.find(Evidence(stacks=lines)).confidence

    assert sure("scores.get(doc, 0.0)") == sure("heapq.heappop(heap)") == "low"
    assert sure("out[i] = left[i] * right[i]") == sure("total += math.exp(x)") == "medium"


def test_an_archive_that_is_opened_for_each_item_is_to_be_kept_open():
    def advice(text):
        frames = f"read (tiles.py:3);[runs] {text};zipfile:__init__;zipfile:_RealGetContents"
        return python_code.find(Evidence(stacks=stacks(f"{frames} 800", "main (tiles.py:9) 200"))).advice

    assert "keep it open" in advice("zipfile.ZipFile(self.path)")
    assert "keep it open" not in advice("archive.read(name)")
