"""Result tables in the chapters: newest first, honest about what is missing, nothing outside the marks touched."""

from pathlib import Path

import pytest

from perfproof.core.documents import Check, Light, VariantResult, Warning
from perfproof.core.errors import UsageError
from perfproof.pairs.pair import Broken, Pair
from perfproof.report.chapters import BEGIN, END, between_marks, chapter_table, place
from tests.report.sample_runs import judged, run, side, target

SHA = "a1b2c3d4" * 8


def pair(name="ch01:batched_gemm", variants=("optimized",), sha=SHA, code="c" * 64):
    empty = dict.fromkeys(Pair.__dataclass_fields__)
    known = {"name": name, "variants": variants, "tier": "idiomatic", "source_sha256": sha, "code_sha256": code}
    return Pair(**empty | known)


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_a_result_has_its_tier_ratio_prediction_machine_date_and_source():
    made = run(target(cost={"flops": 1.0, "bytes": 100.0, "baseline_bytes": 900.0}))
    assert cells(chapter_table([pair()], [made])) == [
        [
            "ch01:batched\\_gemm",
            "idiomatic",
            "faster",
            "3.21x [3.18, 3.24]",
            "9.00x bytes",
            "3.21 ms",
            "1.00 ms",
            "–",
            "8",
            "xeon-2c",
            "2025-01-01",
            "cccccccc",
        ]
    ]


def test_both_sides_are_shown_as_shares_of_what_the_machine_can_do():
    made = target()
    for name, share in (("baseline", 0.123), ("optimized", 0.951)):
        made.variants[name] = VariantResult(light=Light(share=share))
    assert cells(chapter_table([pair()], [run(made)]))[0][7] == "12 → 95 %"
    made.variants["optimized"] = VariantResult(light=Light(share=0.999))
    assert cells(chapter_table([pair()], [run(made)]))[0][7] == "12 → 100 %"
    made.variants["baseline"] = VariantResult(light=Light())
    assert cells(chapter_table([pair()], [run(made)]))[0][7] == "–"


def test_a_table_from_before_shares_were_shown_keeps_its_rows():
    new = chapter_table([pair()], [run(target())])
    old = "\n".join(line.replace(" of the limit |", "").replace("| – | 8 |", "| 8 |") for line in new.splitlines())
    assert old != new and chapter_table([pair()], [], existing=old) == new


def test_a_pair_without_a_result_is_listed_as_such():
    assert cells(chapter_table([pair("ch01:new")], []))[0][:4] == ["ch01:new", "idiomatic", "not measured yet", "–"]


def test_a_broken_file_is_listed_with_its_error():
    broken = Broken(Path("x.py"), "ch01:x", "ch01", "x.py: no `reference`")
    assert cells(chapter_table([broken], []))[0][2] == "refused: x.py: no \\`reference\\`"


def test_the_newest_result_of_each_machine_is_shown():
    def at(day, verdict, kind):
        return run(target(ratio=judged(verdict), started=f"2025-01-0{day}T00:00:00Z"), machine={"kind": kind})

    runs = [at(1, "slower", "xeon-2c"), at(3, "faster", "xeon-2c"), at(2, "same", "nvidia-h200")]
    found = [(row[9], row[2], row[10]) for row in cells(chapter_table([pair()], runs))]
    assert found == [("nvidia-h200", "same", "2025-01-02"), ("xeon-2c", "faster", "2025-01-03")]


def test_rows_of_machines_that_are_not_here_stay():
    before = chapter_table([pair()], [run(target(), machine={"kind": "nvidia-h200"})])
    after = chapter_table([pair()], [run(target())], existing=before)
    assert [row[9] for row in cells(after)] == ["nvidia-h200", "xeon-2c"]
    assert chapter_table([pair()], [], existing=after) == after


def test_writing_twice_changes_nothing():
    once = chapter_table([pair(), pair("ch01:new")], [run(target())])
    assert chapter_table([pair(), pair("ch01:new")], [run(target())], existing=once) == once


def test_a_pair_that_is_gone_takes_its_rows_with_it():
    before = chapter_table([pair()], [run(target())])
    assert "batched" not in chapter_table([pair("ch01:new")], [], existing=before)


def test_every_variant_has_a_row_in_the_order_of_the_file():
    ratios = {"optimized_b": judged(), "optimized_a": judged("slower", 0.5, 0.4, 0.6)}
    table = chapter_table([pair(variants=("optimized_a", "optimized_b"))], [run(target(ratios=ratios))])
    assert [row[0] for row in cells(table)] == [f"ch01:batched\\_gemm optimized\\_{v}" for v in "ab"]


@pytest.mark.parametrize(
    "unfit",
    [
        run(target(), options={"fast": True}),
        run(target(), options={"effort": "quick"}),
        run(target(warnings=[Warning(code="W120", text="rows=5")])),
        run(target(ratio=judged(launches=7))),
        run(target(ratio=judged("indicative"))),
        run(target(ratios={"optimized_a": judged(), "optimized_b": judged("indicative")})),
    ],
)
def test_smoke_sizes_other_sizes_quick_effort_and_hints_are_no_results(unfit):
    assert cells(chapter_table([pair()], [unfit]))[0][2] == "not measured yet"
    older = run(target(ratio=judged("slower", 0.5, 0.4, 0.6), started="2024-01-01T00:00:00Z"))
    assert cells(chapter_table([pair()], [older, unfit]))[0][2] == "slower"


def test_memory_is_a_result_without_launches():
    made = run(target(ratio=judged("better", 2.0, 1.9, 2.1, claim="memory", variant=2.0**20, launches=0)))
    row = cells(chapter_table([pair()], [made]))[0]
    assert row[2:8] == ["better", "2.00x [1.90, 2.10]", "–", "2.00 MiB", "1.00 MiB", "–"]


def test_rows_of_older_tables_and_hints_in_a_table_go_when_it_is_written():
    table = chapter_table([pair()], [run(target())])
    older = table.replace(" | – | 8 | ", " | ")
    for gone in (older, table.replace(" | 8 | ", " | 5 | "), table.replace("| faster |", "| indicative |")):
        assert gone != table
        assert cells(chapter_table([pair()], [], existing=gone))[0][2] == "not measured yet"


def test_a_check_that_did_not_run_is_in_the_table():
    made = run(target(checks=[Check(name="isolation", result="not-run")]))
    assert cells(chapter_table([pair()], [made]))[0][2] == "faster (side effects not checked)"


def test_a_lesson_that_is_told_anew_keeps_its_results():
    made = run(target(code_sha256="c" * 64))
    table = chapter_table([pair(sha="f" * 64)], [made])
    of_the_file = chapter_table([pair()], [run(target(code_sha256=""))])
    assert chapter_table([pair(sha="f" * 64)], [], of_the_file) == of_the_file
    assert cells(table)[0][2] == "faster" and cells(table)[0][-1] == "cccccccc"
    assert cells(chapter_table([pair(code="d" * 64)], [made]))[0][2] == "faster (older source)"


def test_a_result_of_an_older_file_says_so_until_it_is_measured_again():
    stale = chapter_table([pair(sha="f" * 64)], [run(target())])
    assert cells(stale)[0][2] == "faster (older source)"
    assert cells(chapter_table([pair()], [], existing=stale))[0][2] == "faster"


def test_a_skip_says_why_and_does_not_replace_a_measurement():
    skipped = run(target(status="skipped", reason="needs a GPU", started="2025-02-01T00:00:00Z"))
    assert cells(chapter_table([pair()], [skipped]))[0][2] == "skipped: needs a GPU"
    assert cells(chapter_table([pair()], [run(target()), skipped]))[0][2] == "faster"
    crashed = run(target(status="crashed", reason="signal 11", started="2025-02-01T00:00:00Z"))
    assert cells(chapter_table([pair()], [run(target()), crashed]))[0][2] == "crashed: signal 11"


def test_the_prediction_is_by_what_binds():
    cost = {"bytes": 5.0, "baseline_bytes": 10.0, "flops": 10.0, "baseline_flops": 40.0}
    without = run(target(cost=cost))
    assert cells(chapter_table([pair()], [without]))[0][4] == "2.00x bytes, 4.00x flops"
    sides = {
        "baseline": side(light=Light(fastest_seconds=2e-3, bound="memory")),
        "optimized": side(light=Light(fastest_seconds=1e-3, bound="memory")),
    }
    assert cells(chapter_table([pair()], [run(target(cost=cost, variants=sides))]))[0][4] == "2.00x bytes"


def test_only_what_is_between_the_marks_changes():
    readme = f"# ch01\r\ntext | with | bars\n{BEGIN}\nold\n{END}\n\nmore {{text}} \\1\n"
    placed = place(readme, "| new |", "README.md")
    assert placed == f"# ch01\r\ntext | with | bars\n{BEGIN}\n| new |\n{END}\n\nmore {{text}} \\1\n"
    assert between_marks(placed, "README.md") == "\n| new |\n"


@pytest.mark.parametrize("readme", ["no marks", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}\n{BEGIN}\n{END}"])
def test_marks_that_are_not_a_pair_are_refused_with_what_to_write(readme):
    with pytest.raises(UsageError, match=r"chapters/ch01/README\.md: write one line"):
        place(readme, "table", "chapters/ch01/README.md")


def test_a_machine_that_had_to_skip_has_no_row_beside_one_that_measured():
    skipped = run(target(status="skipped", reason="needs a GPU"))
    skipped.machine = {**skipped.machine, "kind": "laptop-2c"}
    assert [row[2] for row in cells(chapter_table([pair()], [run(target()), skipped]))] == ["faster"]
    assert len(cells(chapter_table([pair()], [skipped]))) == 1
