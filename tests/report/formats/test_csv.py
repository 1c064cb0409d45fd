"""CSV for another program: every variant, every number as stored."""

import csv
import io

from perfproof.core.documents import Check
from perfproof.report.formats import csv as csv_format
from tests.report.sample_runs import ERROR, MEMORY, everything, judged, run, side, target


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
    sides = {"baseline": side(9.0, hot_seconds=exact, setup_seconds=exact), "optimized": side(9.0, error=ERROR)}
    (row,) = rows(run(target(variants=sides)))
    assert float(row["baseline_setup_seconds"]) == exact
    assert float(row["ratio"]) == 3.2123456789
    assert float(row["baseline_value"]) == float(row["baseline_call_seconds"]) == 3.2123456789 * 1e-3
    assert float(row["variant_value"]) == float(row["variant_call_seconds"]) == 1e-3
    assert float(row["variant_error_rms_relative"]) == ERROR.rms_relative
    assert row["variant_kernel_seconds"] == ""


def test_the_figures_stand_in_the_column_of_what_they_measure():
    (row,) = rows(run(target(ratio=MEMORY, variants={"baseline": side(2e-3), "optimized": side(1e-3)})))
    assert (row["variant"], row["variant_value"], row["variant_peak_bytes"]) == ("optimized", "1048576.0", "1048576.0")
    assert row["variant_call_seconds"] == "0.001"
    (row,) = rows(run(target(ratio=judged(claim="metric", clock="tokens per second", variant=5.0))))
    assert row["variant_value"] == "5.0"


def test_an_older_document_has_the_figures_of_its_sides():
    (row,) = rows(run(target(ratio=judged(variant=None))))
    assert (row["baseline_value"], row["variant_value"]) == ("0.00321", "0.001")


def test_what_did_not_run_is_a_column():
    (row,) = rows(run(target(checks=[Check(name="speed of light", result="not-run")])))
    assert row["not_run"] == "speed-of-light"


def test_text_with_commas_and_lines_stays_one_cell():
    (row,) = rows(run(target(status="crashed", reason='a, "b"\nc')))
    assert row["reason"] == 'a, "b"\nc'


def test_a_row_can_be_traced_to_its_run():
    (row,) = rows(run(target(), git={"commit": "abc"}))
    assert (row["run"], row["machine"], row["commit"]) == ("20250101T000000Z-tour-abc123", "xeon-2c", "abc")
