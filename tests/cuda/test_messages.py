"""Logs of real compilers, and what is made of them."""

from pathlib import Path

import pytest

from perfproof.cuda.messages import first_error, kernels_named_in
from perfproof.cuda.resources import Resources, read_resources

VERBOSE = """\
ptxas info    : 6296 bytes gmem
ptxas info    : Compiling entry function '_Z5plainPKfPfijmbf' for 'sm_90a'
ptxas info    : Function properties for _Z5plainPKfPfijmbf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 400 bytes smem
ptxas info    : Compile time = 3.762 ms
ptxas info    : Compiling entry function 'spills' for 'sm_90a'
ptxas info    : Function properties for spills
ptxas         .     176 bytes stack frame, 204 bytes spill stores, 180 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers
ptxas info    : Compile time = 12.444 ms
"""
OLDER = """\
ptxas info    : Compiling entry function 'copy' for 'sm_80'
ptxas info    : Function properties for helper
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for copy
    24 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, 48+0 bytes smem, 368 bytes cmem[0]
"""


def test_the_resources_of_every_kernel_are_read():
    assert read_resources(VERBOSE) == {
        "_Z5plainPKfPfijmbf": Resources("sm_90a", 14, 400, 0, 0, 0),
        "spills": Resources("sm_90a", 32, 0, 176, 204, 180),
    }


def test_functions_that_a_kernel_calls_are_not_taken_for_it():
    assert read_resources(OLDER) == {"copy": Resources("sm_80", 10, 48, 24, 16, 12)}


@pytest.mark.parametrize("log", ["", "ptxas info", VERBOSE[:150], "Compiling entry function 'x' for 'sm_90a'"])
def test_a_log_that_is_cut_off_gives_no_invented_resources(log):
    assert read_resources(log) == {}


def test_the_first_error_of_the_assembler_is_told_whichever_form_it_has():
    parsed = "ptxas application ptx input, line 25; error   : Unknown modifier '.such'\nptxas fatal   : aborted"
    assert first_error(parsed, Path("a.cu")) == "a.cu: ptxas: Unknown modifier '.such' (and 1 more error)"
    shared = "ptxas error   : Entry function '_Z4copyPi' uses too much shared data (0x61a80 bytes, 0x38c00 max)"
    assert first_error(shared, Path("a.cu")).startswith("a.cu: ptxas: Entry function '_Z4copyPi' uses too much")


def test_a_log_without_an_error_gives_nothing():
    assert first_error(VERBOSE, Path("a.cu")) == ""
    assert first_error('a.cu(3): warning #177-D: variable "x" was declared but never referenced', Path("a.cu")) == ""


def test_kernels_are_found_in_the_text_of_a_source():
    text = """
        // __global__ void commented(int* x)
        /* __global__ void also(int* x) */
        extern "C" __global__ void one(int* x) {}
        template <typename T> __global__ void __launch_bounds__(128, 2) two(T* x);
        __global__ __cluster_dims__(2, 1, 1) void three(int n)
    """
    assert kernels_named_in(text) == ("one", "two", "three")
