"""CSV for another program: every variant, every number as stored."""

import csv
import io

from perfproof.report.formats import csv as csv_format

from ..sample_runs import ERROR, everything, run, side, target


def rows(document):
    return list(csv.DictReader(io.StringIO(csv_format.render(document))))


def test_one_row_for_each_variant_and_one_for_a_target_without_any():
    found = rows(everything())
    assert [row["variant"] for row in found if row["target"] == "labs/moe:step_02_sorted"] == [
        "optimized_a",
        "optimized_b",
    ]
    assert len(found) == 13
    assert next(row for row in found if row["target"] == "ch05:a")["ratio"] == ""


def test_numbers_are_not_rounded():
    exact = 0.1 + 0.2
    (row,) = rows(run(target(variants={"baseline": side(exact), "optimized": side(1e-3, error=ERROR)})))
    assert float(row["baseline_call_seconds"]) == exact
    assert float(row["ratio"]) == 3.2123456789
    assert float(row["variant_error_rms_relative"]) == ERROR.rms_relative
    assert row["variant_kernel_seconds"] == ""


def test_text_with_commas_and_lines_stays_one_cell():
    (row,) = rows(run(target(status="crashed", reason='a, "b"\nc')))
    assert row["reason"] == 'a, "b"\nc'


def test_a_row_can_be_traced_to_its_run():
    (row,) = rows(run(target(), git={"commit": "abc"}))
    assert (row["run"], row["machine"], row["commit"]) == ("20250101T000000Z-tour-abc123", "xeon-2c", "abc")
