"""Kernels in the text and in the report: resources with --details, and what compute-sanitizer found in any case."""

from perfproof.core.documents import KernelResources, Sanitized
from perfproof.report.formats import table
from perfproof.report.html import tables as html_tables
from tests.report.sample_runs import run, target

LAUNCHED = KernelResources(
    kernel="average<1>",
    side="optimized",
    architecture="sm_90a",
    registers=40,
    static_shared=16_896,
    dynamic_shared=0,
    local=0,
    spill_stores=0,
    spill_loads=0,
    block=[128, 1, 1],
    blocks_per_sm=12,
    occupancy=0.75,
)
COMPILED = KernelResources(
    kernel="average<0>",
    architecture="sm_100a",
    registers=255,
    static_shared=0,
    local=96,
    spill_stores=64,
    spill_loads=32,
)
PASSED = Sanitized(tool="memcheck", result="pass", summary="ERROR SUMMARY: 0 errors", errors=0)
FAILED = Sanitized(tool="racecheck", result="fail", summary="1 hazard", errors=1, reports=["Race at a.cu:3"])
NOT_RUN = Sanitized(tool="racecheck", result="not-run", detail="it is not on the PATH")


def shown(text: str) -> str:
    return " ".join(text.split())


def test_details_have_registers_shared_memory_spills_and_occupancy():
    measured = run(target(kernel_resources=[LAUNCHED, COMPILED]))
    text = shown(table.render(measured, details=True))
    assert "optimized average<1> (sm_90a): 40 registers, shared memory 16.5 KiB, spills 0 B, occupancy 75 %" in text
    assert "12 blocks of 128" in text
    assert "255 registers" in text and "64 B stored, 32 B loaded" in text
    assert "registers" not in table.render(measured)


def test_what_the_sanitizer_found_is_always_printed():
    text = shown(table.render(run(target(sanitizers=[PASSED, FAILED]))))
    assert "memcheck passed (ERROR SUMMARY: 0 errors)" in text
    assert "racecheck failed" in text and "Race at a.cu:3" in text
    assert "racecheck not run: it is not on the PATH" in shown(table.render(run(target(sanitizers=[NOT_RUN]))))
    assert "memcheck" not in table.render(run(target()))


def test_the_report_has_a_table_of_each():
    one = target(kernel_resources=[LAUNCHED, COMPILED], sanitizers=[PASSED, FAILED, NOT_RUN])
    resources, sanitizers = html_tables.kernel_resources_table(one), html_tables.sanitizers_table(one)
    assert [cell.text for cell in resources.rows[0]][:4] == ["average<1>", "optimized", "sm_90a", "40"]
    assert "75 %" in resources.rows[0][-1].text and resources.rows[1][-1].text == "–"
    assert [[cell.text for cell in row][1:3] for row in sanitizers.rows] == [
        ["pass", "0"],
        ["fail", "1"],
        ["not-run", "–"],
    ]
    assert html_tables.kernel_resources_table(target()) is None and html_tables.sanitizers_table(target()) is None
