"""Profiles of JAX and XLA: written field by field after the published schema; no recording was at hand."""

import gzip

import pytest

from perfproof.core.errors import DocumentError
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import gather
from perfproof.profile import reading
from perfproof.profile.readers.xplane import read
from perfproof.profile.steps import find_steps
from tests.profile.readers.xplane_files import GPU, HOST, PROFILE, TPU, event, message, names


def test_what_ran_on_a_stream_is_a_kernel_with_its_launch_and_shape(write):
    events = reading.read(write(PROFILE, "host.xplane.pb"))
    (kernel,) = events.rows(Kind.KERNEL)
    assert (kernel.name, kernel.start_ns, kernel.end_ns) == ("loop_add_fusion", 1020, 1070)
    assert (kernel.device, kernel.stream, kernel.correlation) == (0, 14, 11)
    assert (kernel.args["grid"], kernel.args["block"]) == ([8, 1, 1], [256, 1, 1])
    (copy,) = events.rows(Kind.COPY)
    assert copy.bytes == 4096
    assert [row.name for row in events.rows(Kind.DEVICE_RANGE)] == ["jit_train"]


def test_the_host_has_its_steps_calls_and_python_lines(write):
    events = read(write(PROFILE))
    assert find_steps(events).found == 4
    assert [row.name for row in events.rows(Kind.PYTHON)] == ["$train.py:12 step"]
    assert [(row.name, row.correlation) for row in events.rows(Kind.RUNTIME)] == [("cuLaunchKernel", 11)]


def test_operations_of_a_tpu_count_once_if_one_holds_the_others(write):
    events = read(write(message((1, TPU))))
    assert [(row.name, row.device) for row in events.rows(Kind.KERNEL)] == [("fusion.2", 1), ("fusion.2", 1)]
    assert [row.name for row in events.rows(Kind.DEVICE_RANGE)] == ["while.1"]


def test_a_profile_is_known_by_its_content_and_packed(write):
    assert len(reading.read(write(gzip.compress(PROFILE), "anything"))) == len(read(write(PROFILE)))


def test_it_is_diagnosed_as_a_timeline(write):
    (trace,) = gather([write(PROFILE, "host.xplane.pb")]).traces
    assert trace.found == 4


def test_a_sum_over_events_has_no_time_and_is_left_out(write):
    line = (3, message((1, 1), (2, "python"), event(1, 0, 5), (4, message((1, 1), (5, 40), (3, 900)))))
    events = read(write(message((1, message((2, "/host:CPU"), line, *names(4, "work"))))))
    assert len(events) == 1 and "1 events have no time" in events.warnings[0]


def test_what_the_profiler_complained_about_is_said(write):
    assert "CUPTI" in read(write(message((1, HOST), (2, "CUPTI could not start")))).warnings[0]


@pytest.mark.parametrize("cut", [3, 40, len(PROFILE) // 2, len(PROFILE) - 1])
def test_a_cut_file_is_an_error_and_no_shorter_profile(write, cut):
    with pytest.raises(DocumentError, match="cut off"):
        read(write(PROFILE[:cut], "host.xplane.pb"))


@pytest.mark.parametrize("content", [b"\0" * 40, b"\x0b\x0c", b"\xff" * 30, message((2, "nothing ran")), b"plain text"])
def test_what_is_no_profile_is_an_error_in_one_line(write, content):
    with pytest.raises(DocumentError) as refusal:
        read(write(content, "host.xplane.pb"))
    assert "\n" not in str(refusal.value)


def test_a_device_plane_alone_is_read(write):
    assert len(read(write(message((1, GPU)))).where(Kind.KERNEL)) == 1
