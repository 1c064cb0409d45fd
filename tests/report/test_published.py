"""A result of the chapter's page is shown beside today's ratio, with its source."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.report.chapters import BEGIN, END, chapter_table
from perfproof.report.published import beside_published, published_for, published_lines
from tests.report.sample_runs import run, target
from tests.report.test_chapters import pair

MADE = run(target(cost={"flops": 1.0, "bytes": 100.0, "baseline_bytes": 900.0}))


@pytest.fixture
def known(tmp_path):
    found = replace(pair(), path=tmp_path / "batched_gemm.py")
    (tmp_path / "README.md").write_text(f"# Chapter\n{BEGIN}\n{chapter_table([found], [MADE])}\n{END}\n")
    return found


def today(ratio, low, high):
    return SimpleNamespace(ratio=ratio, low=low, high=high)


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (today(3.2, 3.1, 3.3), "the intervals overlap"),
        (today(1.6, 1.5, 1.7), "lower by 50.2 %"),
        (today(6.4, 6.3, 6.5), "higher by 99.4 %"),
        (today(3.2, None, None), "today's ratio has no interval"),
    ],
)
def test_today_stands_beside_what_the_page_has_and_its_date(known, ratio, said):
    line = published_lines(known, "xeon-2c")["optimized"]
    text = beside_published(known, line, ratio)
    assert said in text and "README.md has 3.21x [3.18, 3.24] on xeon-2c, 2025-01-01" in text and "older" not in text


def test_a_result_of_changed_code_says_so(known):
    changed = replace(known, source_sha256="0" * 64, code_sha256="1" * 64)
    line = published_lines(changed, "xeon-2c")["optimized"]
    assert "of an older source" in beside_published(changed, line, today(3.2, 3.1, 3.3))


def test_another_kind_another_page_and_no_page_have_nothing_to_show(known, tmp_path):
    assert published_lines(known, "nvidia-h200") == {}
    (tmp_path / "README.md").write_text("# no table\n")
    assert published_lines(known, "xeon-2c") == {}
    (tmp_path / "README.md").unlink()
    assert published_lines(known, "xeon-2c") == {}


def test_the_chapters_that_publish_a_kind_of_machine_are_named(known):
    machine = next(iter(published_lines(known, MADE.machine["kind"]).values())).machine
    folder = known.path.parent
    assert published_for(machine, [folder, folder]).endswith(
        f"{machine} to compare with: {folder.name.partition('_')[0]}"
    )
    assert published_for("toaster-1c", [folder]) == f"no chapter publishes results of toaster-1c; they have {machine}"
    assert published_for("toaster-1c", []).endswith("they have no machine")
