"""The table by size of model: figures of saved rows, and "not measured yet" for everything else."""

import json

import pytest

from perfproof.core.errors import DocumentError
from perfproof.report.model_table import MISSING, SIZES, model_table, read_rows

ROW = {
    "shape": "llama-3.1-8b", "parameters": 8_030_261_248, "kind": "engine", "phase": "decode", "batch": 4,
    "tokens": 1_024, "seconds": 0.01, "per_step": 4, "share": 0.5, "joules": 5.0,
    "machine": "one GPU", "date": "2026-01-02",
}  # fmt: skip


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_a_row_has_tokens_per_second_watts_tokens_per_joule_and_its_share():
    found = next(row for row in cells(model_table([ROW])) if row[:2] == ["8 B", "decode"])
    assert found[2:] == ["llama-3.1-8b", "engine", "4", "1,024", "400", "500", "0.8", "50.0 %", "one GPU, 2026-01-02"]


def test_every_size_and_phase_has_a_line_and_what_was_not_run_says_so():
    lines = cells(model_table([ROW]))
    assert [row[:2] for row in lines] == [[size, phase] for size in SIZES for phase in ("prefill", "decode")]
    assert [row[2] == MISSING for row in lines] == [True, True, True, False, True, True]
    assert len({len(row) for row in lines}) == 1


def test_a_figure_that_was_not_measured_is_not_made_up():
    found = cells(model_table([ROW | {"joules": None, "share": None}]))[3]
    assert found[7:10] == [MISSING] * 3


def test_of_two_equal_rows_the_newer_stands_and_other_sizes_do_not_mix():
    older = ROW | {"date": "2026-01-01", "per_step": 1}
    assert cells(model_table([ROW, older]))[3][6] == "400"
    assert cells(model_table([ROW | {"parameters": 70e9}]))[3][2] == MISSING


def test_a_newer_row_without_energy_does_not_hide_a_measured_one():
    newer = ROW | {"date": "2026-01-03", "per_step": 8}
    assert cells(model_table([ROW, newer | {"joules": None}]))[3][6] == "400"
    assert cells(model_table([ROW, newer]))[3][6] == "800"


@pytest.mark.parametrize("broken", ["{", "[]", json.dumps(ROW | {"seconds": 0}), json.dumps({"phase": "decode"})])
def test_a_line_that_is_no_row_is_named(broken):
    assert read_rows(json.dumps(ROW), "rows.jsonl") == [ROW]
    with pytest.raises(DocumentError, match=r"rows\.jsonl:2"):
        read_rows(f"{json.dumps(ROW)}\n{broken}", "rows.jsonl")
