"""What nsys and ncu take is read from their own help; what cannot be read is unknown, and drops nothing."""

import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.tool_help import Dropped, Flags, accepted, parse, read_flags

WRITTEN = Path(__file__).parent / "written"


def flags(name, tool):
    return parse((WRITTEN / name).read_text(), tool)


NSYS = flags("nsys_2025_help.txt", "nsys")
OLD = flags("nsys_2023_help.txt", "nsys")
OPTIONS = Path(__file__).parent / "recorded" / "ncu_2025_options.txt"
NCU = parse(OPTIONS.read_text(), "ncu")


def test_nsys_declares_long_and_short_names():
    assert not NSYS.unknown
    assert {"-t", "--trace", "-c", "--capture-range", "--cuda-graph-trace", "--gpu-metrics-devices"} <= NSYS.names


def test_names_in_the_prose_are_not_options():
    assert "--gpu-metrics-device" not in NSYS.names and "--gpu-metrics-set" not in NSYS.names


def test_the_values_of_trace_are_known():
    assert NSYS.values["--trace"] == {
        *("cuda", "cuda-hw", "nvtx", "osrt", "cublas", "cublas-verbose", "cudnn", "gds", "mpi", "python-gil", "none")
    }


def test_ncu_declares_in_two_columns():
    assert {"-o", "--export", "--csv", "--metrics", "--rename-kernels", "-f", "--nvtx"} <= NCU.names
    explained = "".join(f"{line:<40}Ours; see --other-words.\n{'--more':>46} and so on\n" for line in OPTIONS.open())
    assert parse(explained.replace("\nOurs", " Ours"), "ncu").names == NCU.names


def test_only_what_is_taken_is_kept_and_the_rest_has_a_reason():
    asked = ["--trace=cuda,nvtx,nccl,gds", "--gpu-metrics-devices=all", "--python-sampling=true", "--output=r"]
    kept, dropped = accepted(asked, OLD)
    assert kept == ["--trace=cuda,nvtx", "--output=r"]
    assert dropped == [
        Dropped("--trace=nccl", "this nsys has no --trace value 'nccl'"),
        Dropped("--trace=gds", "this nsys has no --trace value 'gds'"),
        Dropped("--gpu-metrics-devices=all", "this nsys has no --gpu-metrics-devices; it has --gpu-metrics-device"),
        Dropped("--python-sampling=true", "this nsys has no --python-sampling"),
    ]
    assert accepted(asked, NSYS)[0] == ["--trace=cuda,nvtx,gds", *asked[1:]]


def test_a_trace_with_no_value_left_goes_as_a_whole():
    assert accepted(["--trace=nccl"], NSYS)[0] == []


@pytest.mark.parametrize(
    "text", ["", "nsys: command not found", "usage: nsys profile\n\n\t--capture-range=\n", "\x00\xff"]
)
def test_a_broken_help_text_is_unknown_with_the_reason(text):
    found = parse(text, "nsys")
    assert found.unknown.startswith("unknown: `nsys profile --help` lists no --")
    assert not found.names


def test_the_help_of_the_other_tool_is_not_taken_for_it():
    assert parse(OPTIONS.read_text(), "nsys").unknown


def test_where_nothing_is_known_nothing_is_dropped():
    asked = ["--trace=cuda", "--no-such-option"]
    assert accepted(asked, Flags("nsys", unknown="unknown: it did not answer")) == (asked, [])


@given(st.text())
def test_no_text_breaks_the_reader(text):
    assert parse(text, "ncu").unknown or parse(text, "ncu").names


@given(st.lists(st.text(max_size=20), max_size=6))
def test_every_argument_is_kept_or_dropped(arguments):
    kept, dropped = accepted(arguments, NCU)
    assert kept == [one for one in arguments if one.partition("=")[0] in NCU.names]
    assert len(kept) + len(dropped) == len(arguments)


def test_a_program_is_asked(tmp_path):
    program = tmp_path / "ncu"
    program.write_text(f"#!{sys.executable}\nprint(open({str(OPTIONS)!r}).read())\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert read_flags(str(program), "ncu") == NCU


def test_a_program_that_is_not_there_is_unknown(tmp_path):
    assert (
        read_flags(str(tmp_path / "nsys"), "nsys").unknown
        == "unknown: nsys cannot be started: No such file or directory"
    )
