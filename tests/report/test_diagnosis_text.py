"""Text and Markdown hold every finding, what lowered it and who could not look."""

import re

from perfproof.core.diagnosis import Steps, StepWork
from perfproof.core.profile_record import OTHERS_RAN
from perfproof.report.diagnosis_text import (
    NOTHING,
    first_of_kernels,
    missing_inputs,
    render,
    render_markdown,
    saving,
    work_lines,
)
from tests.report.sample_diagnosis import sample


def test_the_text_holds_everything_within_its_width():
    text = render(sample(), width=80, every_rule=True)
    title = "1. the step waits for its input: up to 35 % of the step; confidence medium [input_bound]"
    assert title in " ".join(text.split())
    for part in (
        "trace.json: trace (kineto), rank 0",
        "rank 0: 3 steps of 1.23 ms",
        "left out, for they are",
        "1.00 ms",
    ):
        assert part in text
    assert "lowered: spills from high to medium, because of throttling: hot" in text
    assert "- a GPU: gpu_idle, host_sync" in text and "looked and found nothing: straggler" in text
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_a_share_says_what_it_is_of_and_an_unknown_one_is_unknown():
    assert [saving(one) for one in sample().findings] == [
        "up to 35 % of the step",
        "up to 5.0 % of the profiled kernels' time",
        "share unknown",
    ]


def test_where_shares_are_of_two_things_the_list_says_where_the_second_begins():
    assert first_of_kernels(sample()) == 2
    assert "not of the step" in render(sample()) and "From number 2 on" in render_markdown(sample())
    alone = sample(findings=sample().findings[1:2])
    assert first_of_kernels(alone) is None and "not of the step" not in render(alone)


def test_rules_that_miss_the_same_share_a_line():
    assert missing_inputs(sample()) == [("a GPU", ["gpu_idle", "host_sync"])]


def test_a_busy_machine_is_said_first_and_a_rule_with_a_note_has_not_found_nothing():
    busy = f"{OTHERS_RAN} 53 % of the CPU time before this one began"
    found = sample(silent=["spills", "straggler"], warnings=[busy, "spills: found 3.0 %, below the 5.0 %"])
    for text in (render(found, every_rule=True), render_markdown(found)):
        assert (
            text.index("other programs used") < text.index("waits for its input") and text.count("other programs") == 1
        )
        assert "ound nothing: straggler" in text and "spills: found 3.0 %" in text


def test_no_finding_is_not_called_health():
    line = "2 rules could not look (2 need a GPU's trace or counters): --all"
    assert line in render(sample()) and "gpu_idle" not in render(sample())
    text = render(sample(findings=[], downgraded=[]))
    assert NOTHING in text and "could not look (2 rules)" in text


def test_in_markdown_a_strangers_name_is_text_and_a_table_row_has_its_cells():
    text = render_markdown(sample())
    assert r"\<loader\> & \| co\_" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 4 and all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert "    perfproof ab --a 'python train.py' --b 'python train.py --synthetic-input'" in text


def test_a_step_of_few_products_is_not_described_where_no_peak_is_known():
    def lines(flops, mfu):
        work = StepWork(flops=flops, mfu=mfu, basis="no peak", operators=[], uncounted=[])
        return work_lines(Steps(source="optimizer", found=3, used=1, mean_seconds=0.1, work=work))

    assert lines(1e5, None) == [] and lines(1e5, 0.1) and lines(1e12, None)
