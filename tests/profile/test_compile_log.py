"""The compiler's logs, as torch 2.13 wrote them: what broke, why, where, how often, and whether after warm-up."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.compile_log import WARM_MARK, read_compile_log

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

RECORDED = Path(__file__).parent / "recorded_torch"
LOGS = (RECORDED / "torch_logs.txt").read_text()
TRACE = (RECORDED / "torch_trace.log").read_text()
PREFIX = "V1115 10:19:17.965000 2539 torch/_dynamo/symbolic_convert.py:5124] "


def told(log):
    return sorted((one.kind, one.where, one.function, one.count) for one in log.events)


def test_both_logs_of_one_program_tell_the_same():
    assert told(read_compile_log(LOGS)) == told(read_compile_log(TRACE)) == [
        ("graph break", "demo/demo.py:13", "item", 1),
        ("graph break", "demo/demo.py:8", "breaks", 2),
        ("recompile", "demo/demo.py:18", "shapes", 1),
        ("recompile", "demo/demo.py:18", "shapes", 1),
        ("recompile", "demo/demo.py:18", "shapes", 1),
        ("recompile", "demo/demo.py:6", "breaks", 1),
        ("recompile", "demo/demo.py:8", "torch_dynamo_resume_in_breaks_at_8", 1),
    ]  # fmt: skip
    reasons = {one.reason for one in read_compile_log(LOGS).events}
    assert reasons == {one.reason for one in read_compile_log(TRACE).events}
    assert "tensor 'x' size mismatch at index 0. expected 4, actual 5" in reasons and "flag == 1" in reasons


def test_a_break_has_its_reason_and_the_hints_of_torch():
    (broken,) = [
        one for one in read_compile_log(LOGS).events if one.where == "demo/demo.py:8" and one.kind != "recompile"
    ]
    assert broken.reason.startswith("Failed to trace builtin operator: Dynamo does not know how to trace builtin")
    assert broken.compile_ids == ["0/0", "0/1"]
    assert [hint[:21] for hint in broken.hints] == [
        "Avoid calling builtin",
        "If you are attempting",
        "Please report an issu",
    ]


def test_what_came_after_the_mark_came_after_warm_up():
    log = read_compile_log(LOGS)
    assert (log.count("graph break"), log.count("graph break", late=True)) == (3, 1)
    assert (log.count("recompile"), log.count("recompile", late=True)) == (5, 5)
    assert log.source == "TORCH_LOGS" and log.compiled is None and not log.unknown


def test_without_the_mark_it_is_unknown_unless_the_time_is_given():
    unmarked = LOGS.replace(WARM_MARK, "something else")
    log = read_compile_log(unmarked)
    assert log.count("recompile", late=True) is None and "after warm-up" in log.unknown
    timed = read_compile_log(unmarked, warm_at=datetime(2026, 11, 15, 10, 19, 18, 500_000))
    assert timed.count("recompile", late=True) == 3 and timed.count("graph break", late=True) == 1
    assert not timed.unknown


def test_a_trace_says_how_many_frames_were_compiled():
    log = read_compile_log(TRACE)
    assert log.source == "TORCH_TRACE" and log.compiled == 11 and not log.warnings


def test_lines_of_the_program_and_of_other_ranks_stand_between():
    lines = [f"loss 0.1\n[rank1]:{line}" if line.startswith("V") else line for line in LOGS.splitlines()]
    assert told(read_compile_log("\n".join(lines))) == told(read_compile_log(LOGS))


def test_the_form_of_older_versions_is_read():
    text = (
        f"{PREFIX}[1/0] [__graph_breaks] Graph break in user code at my model/a b.py:31\n"
        f"{PREFIX}[1/0] [__graph_breaks] Reason: Unsupported: Tensor.item\n"
        f"{PREFIX}[1/0] [__graph_breaks] User code traceback:\n"
        f'{PREFIX}[1/0] [__graph_breaks]   File "my model/a b.py", line 31, in forward\n'
    )
    (one,) = read_compile_log(text).events
    assert (one.where, one.reason, one.function) == ("my model/a b.py:31", "Unsupported: Tensor.item", "forward")


def test_a_log_that_lacks_a_kind_says_unknown_unless_it_was_asked_for():
    breaks = "\n".join(line for line in LOGS.splitlines() if "__recompiles" not in line)
    assert "none happened, or TORCH_LOGS did not ask" in read_compile_log(breaks).unknown["recompiles"]
    assert read_compile_log(breaks).count("recompile") is None
    assert read_compile_log(breaks, asked=True).count("recompile") == 0


def test_an_empty_log_that_was_asked_for_is_a_clean_program():
    log = read_compile_log("loss 0.1\n", asked=True)
    assert log.events == [] and log.count("graph break") == 0 and not log.unknown


@pytest.mark.parametrize("text", ["", "hello\nworld\n", '{"traceEvents": []}', "V1115 not torch", "\0\1\2"])
def test_foreign_text_is_refused_with_what_to_do(text):
    with pytest.raises(DocumentError, match="TORCH_LOGS=graph_breaks,recompiles"):
        read_compile_log(text)


def test_a_trace_that_is_cut_off_gives_what_it_holds_and_says_so():
    lines = TRACE.splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if '"recompile_reasons"' in line)
    log = read_compile_log("".join(lines[: last + 1]) + 'V1115 10:19:23.1 1 a.py:1] {"artifact": {"na')
    assert any("cut off" in warning for warning in log.warnings)
    cut = [one for one in log.events if one.where.startswith("unknown")]
    assert len(cut) == 1 and cut[0].reason == "unknown: the log gives no reason"


@UNHURRIED
@given(st.sampled_from([LOGS, TRACE]), st.integers(0, 17_000), st.integers(0, 400), st.text(max_size=20))
def test_no_damage_makes_it_fail_in_another_way(text, at, length, junk):
    damaged = text[:at] + junk + text[at + length :]
    try:
        log = read_compile_log(damaged)
    except DocumentError:
        return
    assert all(one.count >= 1 and one.reason and one.where for one in log.events)


@UNHURRIED
@given(st.lists(st.sampled_from([*LOGS.splitlines()[:30], *TRACE.splitlines()[:60]]), max_size=30))
def test_lines_in_any_order_are_read_or_refused(lines):
    try:
        read_compile_log("\n".join(lines))
    except DocumentError as error:
        assert "\n" not in str(error)


def test_nothing_heavy_is_needed():
    code = "import sys, perfproof.profile.compile_log; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
