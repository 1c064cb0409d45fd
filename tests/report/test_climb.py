"""The climb of a lab: rates from saved runs, the library beside them, and nothing that was not measured."""

import re
import xml.etree.ElementTree as xml
from dataclasses import replace

from perfproof.core.documents import KernelResources, Light, VariantResult
from perfproof.report.chapters import chapter_table
from perfproof.report.climb import climb_block, climb_of
from perfproof.report.climb_picture import svg
from tests.report.sample_runs import judged, run, target
from tests.report.test_chapters import pair

NAMES = [f"labs/products:step_0{number}_x" for number in (1, 2, 3)]
PAIRS = [replace(pair(NAMES[0]), borrowed={})]
PAIRS += [replace(pair(name), borrowed={"baseline": f"step_0{n}_x"}) for n, name in enumerate(NAMES[1:], start=1)]


def step(name, seconds, library=None, **fields):
    ratios = {"optimized": judged(ratio=2.0, variant=seconds)}
    ratios |= {"optimized_torch": judged(variant=library)} if library else {}
    values = {"cost": {"flops": 2e12}, "sizes": {"rows": 8, "cols": 4}, "ratios": ratios}
    return target(name, **values | fields)


def test_a_rate_is_operations_over_seconds_and_the_first_baseline_stands_below():
    steps = climb_of(PAIRS, [run(step(NAMES[1], 0.01, 0.005), step(NAMES[0], 0.1))])
    assert [(one.name, one.rate / 1e12) for one in steps] == [
        ("before step_01_x", 10.0),
        ("step_01_x", 20.0),
        ("step_02_x", 200.0),
    ]
    assert [one.library / 1e12 for one in steps] == [0, 0, 400.0]


def test_a_step_that_counts_other_operations_is_held_to_its_own():
    cost = {"flops": 2e12, "optimized_flops": 3e12}
    assert climb_of(PAIRS, [run(step(NAMES[1], 1.0, 1.0, cost=cost))])[0].rate == 3e12


def test_gains_are_multiplied_from_the_baseline_of_the_climb_and_not_across_a_step_without_a_result():
    first, second, third = (step(name, 1.0) for name in NAMES)  # each twice as fast as the one before
    assert [one.gain for one in climb_of(PAIRS, [run(third, second, first)])] == [1.0, 2.0, 4.0, 8.0]
    assert [one.gain for one in climb_of(PAIRS, [run(third, first)])] == [1.0, 2.0, None]


def test_a_step_with_a_baseline_of_its_own_begins_another_climb():
    pairs = [*PAIRS[:2], replace(PAIRS[2], borrowed={"inputs": "step_01_x"})]
    steps = climb_of(pairs, [run(*(step(name, 1.0) for name in NAMES))])
    assert [(one.name, one.gain) for one in steps][-2:] == [("before step_03_x", 1.0), ("step_03_x", 2.0)]


def test_the_share_of_the_limit_is_that_of_the_side():
    light = {name: VariantResult(light=Light(share=share)) for name, share in (("baseline", 0.1), ("optimized", 0.25))}
    assert [one.limit for one in climb_of(PAIRS, [run(step(NAMES[0], 1.0, variants=light))])] == [0.1, 0.25]
    assert "| 10 % |" in climb_block(climb_of(PAIRS, [run(step(NAMES[0], 1.0, variants=light))]))


def test_only_results_are_drawn_and_the_newest_of_each():
    def later(seconds, day, **options):
        return run(step(NAMES[1], seconds, started=f"2025-01-0{day}T00:00:00Z"), options=options)

    steps = climb_of(PAIRS, [later(1.0, 2), later(2.0, 1), later(4.0, 3, effort="quick"), later(8.0, 3, fast=True)])
    assert [one.rate for one in steps] == [2e12]
    assert climb_of(PAIRS, [run(target(NAMES[1], status="crashed"), step("labs/other:step_01", 1.0))]) == []
    assert climb_of(PAIRS, [run(step(NAMES[1], 1.0, cost={"bytes": 1.0}))]) == []


def test_steps_of_two_machines_are_not_mixed():
    there = run(step(NAMES[1], 1.0), step(NAMES[2], 1.0), machine={"kind": "nvidia-h200"})
    assert {one.machine for one in climb_of(PAIRS, [run(step(NAMES[2], 1.0)), there])} == {"nvidia-h200"}


def test_the_table_says_share_registers_and_spills_or_that_it_does_not_know():
    kernel = KernelResources(
        kernel="k", side="optimized", architecture="sm_90a", registers=155, static_shared=0, local=0, spill_stores=0,
        spill_loads=0, dynamic_shared=230_464, blocks_per_sm=1,
    )  # fmt: skip
    other = kernel.model_copy(update={"side": "baseline", "registers": 7})
    resources = [other, kernel]
    block = climb_block(
        climb_of(PAIRS, [run(step(NAMES[1], 1.0, 0.8, kernel_resources=resources), step(NAMES[2], 1.0))])
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines() if "step\\_" in line]
    assert rows[0] == ["step\\_02\\_x", "8 x 4", "2", "–", "–", "2.5", "80 %", "155", "0 B", "230,464 B", "1"]
    assert rows[1][3:] == ["–"] * 8
    assert "climb.svg" in block and "xeon-2c, 2025-01-01" in block


def test_the_picture_has_a_bar_per_step_and_nothing_to_fetch():
    picture = svg(climb_of(PAIRS, [run(step(NAMES[0], 0.1, 0.05), step(NAMES[1], 0.01))]), "labs/products")
    said = {text.strip() for element in xml.fromstring(picture).iter() for text in element.itertext() if text.strip()}
    assert {"before 01 x", "01 x", "02 x", "10", "20", "200", "labs/products", "the library"} <= said
    assert "100" in said and not any("$" in word for word in said)
    assert not re.search(r'href="(?!#)|<!DOCTYPE|url\((?!#)', picture)


def test_a_step_whose_run_is_not_here_keeps_its_row_and_joins_the_gains():
    table = chapter_table(PAIRS, [run(*(step(name, 1.0) for name in NAMES))])
    page = climb_block(climb_of(PAIRS, [run(step(NAMES[0], 1.0), step(NAMES[2], 1.0))]))
    assert "| step\\_03\\_x | 8 x 4 | 2 | –" in page
    steps = climb_of(PAIRS, [run(step(NAMES[1], 0.5, started="2025-02-02T00:00:00Z"))], page, table)
    assert [(one.name, one.rate / 1e12, one.gain) for one in steps] == [
        ("before step_01_x", 1.0, 1.0),
        ("step_01_x", 2.0, 2.0),
        ("step_02_x", 4.0, 4.0),
        ("step_03_x", 2.0, 8.0),
    ]
    assert "2025-01-01 to 2025-02-02" in climb_block(steps)
    assert climb_of(PAIRS, [], page, table) == [], "without a run the block stays as it is"


def test_rows_of_the_page_do_not_mix_with_another_machine():
    page = climb_block(climb_of(PAIRS, [run(step(NAMES[0], 1.0))]))
    there = [run(*(step(name, 1.0) for name in NAMES[1:]), machine={"kind": "nvidia-h200"})]
    assert {one.machine for one in climb_of(PAIRS, there, page)} == {"nvidia-h200"}
