"""The two figures beside a ratio divide to it: exactly in documents, within the printed digits everywhere else.

A document from before figures were stored has none to check, and neither has a row of a table from then.
"""

import csv
import io
import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.cli.show.history import result_rows
from perfproof.core.documents import Light, Run, read_run
from perfproof.history.folders import document_text
from perfproof.history.index.rows import entry_of
from perfproof.pairs.pair import Pair
from perfproof.report import front_table
from perfproof.report.chapters import BEGIN, END, LEAST_LAUNCHES, TITLES, chapter_table
from perfproof.report.formats import csv as csv_format
from perfproof.report.formats import html, junit, md, table
from perfproof.report.rows import rows_of
from perfproof.report.sweep import table as sweep_table
from tests.report.page_reader import Page
from tests.report.printed_figures import FIGURE, RATIO, divides, first_ratio
from tests.report.sample_pages import rich_target
from tests.report.sample_runs import everything, judged, run, side, target

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "tests", "expectations", "chapters", "labs")  # where results are kept
EXACT = 1e-9


def every_claim():
    """One target per claim, one with two variants, and two programs with everything that was measured beside."""
    lights = {
        "baseline": side(9.0, light=Light(fastest_seconds=6.6e-4, ceiling="memory/read")),
        "optimized": side(
            9.0, light=Light(fastest_seconds=3.3e-4, ceiling="memory/read", traffic_ratio=2.0, bandwidth_ratio=9.0)
        ),
    }
    two = {"baseline": side(), "optimized_a": side(), "optimized_b": side()}
    return run(
        target("a:time", judged(ratio=1.7777, variant=1.2345e-5), cost={"samples": 80_000.0}, variants=lights),
        target("a:kernel", judged(ratio=0.04321, low=0.04, high=0.05, variant=0.98765, clock="kernel")),
        target("a:memory", judged("better", 1.38271, 1.34, 1.43, variant=10.54e6, claim="memory", launches=0)),
        target("a:energy", judged("better", 3.14159, 3.1, 3.2, variant=0.012345, claim="energy")),
        target("a:startup", judged("worse", 0.87654, 0.8, 0.9, variant=2.7654, claim="startup")),
        target("a:metric", judged("better", 1.23456, 1.2, 1.3, variant=123456.7, claim="metric", clock="loss")),
        target(
            "a:two",
            ratios={"optimized_a": judged(variant=3.333e-6), "optimized_b": judged(ratio=777.777, variant=1.111e-8)},
            variants=two,
        ),
        target("a:programs", judged(clock="wall", variant=0.1), also=also(), variants=programs()),
    )


def also():
    return {
        "cpu": judged(ratio=1.4321, clock="cpu", variant=0.0765),
        "memory": judged("better", 1.0271, 1.02, 1.03, claim="memory", variant=33_333_333.0),
        "tokens": judged("better", 1.4567, 1.4, 1.5, claim="metric", clock="tokens", variant=145.67, baseline=100.0),
        "loss": judged("worse", 0.98765, 0.98, 0.99, claim="metric", clock="loss", variant=2.71828),
    }


def programs():
    sides = {name: side(0.5, metrics={"loss": 2.0, "tokens": 9.0}) for name in ("baseline", "optimized")}
    for one in sides.values():
        one.times = {"wall": 0.5, "cpu": 0.4}
    return sides


def rich():
    return run(rich_target())


DOCUMENTS = {"every claim": every_claim, "every verdict": everything, "a page": rich}


def ratios_in(value, where=""):
    """Every object with a ratio and figures, anywhere in a document."""
    if isinstance(value, dict):
        if {"ratio", "baseline", "variant"} <= value.keys():
            yield where, value
        for name, one in value.items():
            yield from ratios_in(one, f"{where}.{name}")
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from ratios_in(one, f"{where}[{at}]")


def check_exactly(where, one):
    """A metric that is better if it is higher has the quotient the other way round."""
    if None in (one["ratio"], one["baseline"], one["variant"]):
        assert one["baseline"] is None or one["ratio"] is None or not one["variant"], f"{where}: one figure only"
        return
    quotient = one["baseline"] / one["variant"]
    wanted = [quotient, 1 / quotient] if one.get("claim") == "metric" else [quotient]
    assert any(math.isclose(one["ratio"], value, rel_tol=EXACT) for value in wanted), where


def stored_documents():
    """Every JSON document of the repository that holds a ratio."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.json*")):
        text = path.read_text() if path.suffix in (".json", ".jsonl") and path.parent.name != "schema" else ""
        if '"ratio"' in text:
            jsonl = path.suffix == ".jsonl"
            yield path.name, [json.loads(line) for line in text.splitlines()] if jsonl else json.loads(text)


def test_the_figures_of_every_stored_document_divide_exactly():
    found = list(stored_documents())
    assert found
    for name, document in found:
        for where, one in ratios_in(document, name):
            check_exactly(where, one)


def test_the_days_of_stored_expectations_divide_exactly():
    for path in (ROOT / "expectations").glob("*.json"):
        for name, entry in json.loads(path.read_text())["targets"].items():
            for day in entry["days"]:
                variant, first = next(iter(day["ratios"].items()))
                if first["claim"] == "time" and variant in day["times"]:
                    quotient = day["times"]["baseline"]["seconds"] / day["times"][variant]["seconds"]
                    assert math.isclose(first["ratio"], quotient, rel_tol=EXACT), (path.name, name, day["run"])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_figures_of_a_document_divide_exactly_after_it_was_stored(name):
    text = document_text(DOCUMENTS[name]())
    found = list(ratios_in(json.loads(text)))
    assert found
    for where, one in found:
        check_exactly(where, one)
    assert document_text(read_run(text)) == text


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("run.json")), ids=lambda path: path.parent.name)
def test_a_stored_run_from_before_figures_is_still_shown(path):
    older = read_run(path.read_text())
    assert shown(older)
    for row in shown(older):
        assert re.fullmatch(FIGURE, row.baseline) and re.fullmatch(FIGURE, row.measured), row
    for render in (table.render, md.render, csv_format.render, junit.render, html.render):
        assert render(older)


@pytest.fixture(params=DOCUMENTS)
def document(request) -> Run:
    return DOCUMENTS[request.param]()


def shown(document):
    """The rows that have a ratio."""
    return [row for row in rows_of(document) if row.ratio]


def test_every_row_divides(document):
    for row in shown(document):
        assert divides(row.baseline, row.measured, first_ratio(row.ratio)), row


def test_every_note_with_two_figures_divides(document):
    notes = [note for row in shown(document) for note in row.notes]
    pattern = rf"({RATIO}) (?:\[.*\]|exact|no interval), ({FIGURE}) to ({FIGURE})"
    for ratio, baseline, variant in re.findall(pattern, "\n".join(notes)):
        assert divides(baseline, variant, ratio), (ratio, baseline, variant)
    if document.targets[0].target == "a:time":
        assert len(re.findall(pattern, "\n".join(notes))) == len(also())


def test_goodput_and_shares_of_the_ceilings_divide_as_the_times_do():
    row = rows_of(every_claim())[0]
    notes = "\n".join(row.notes)
    after, before = re.search(r"goodput ([\d,.]+) samples/s, the baseline ([\d,.]+)", notes).groups()
    assert divides(after, before, first_ratio(row.ratio))
    traffic, bandwidth = re.search(rf"({RATIO}) less traffic at ({RATIO})", notes).groups()
    assert float(traffic[:-1]) * float(bandwidth[:-1]) == pytest.approx(1.7777, rel=0.01)
    after, before = re.search(r"\): (\d+) %, the baseline (\d+) %", notes).groups()
    assert 2 * float(after) / float(before) == pytest.approx(1.7777, rel=0.05)


def test_the_terminal_table_divides(document):
    pattern = rf"({RATIO}) (?:\[[^\]]*\]|exact|no interval)\s+({FIGURE})\s+({FIGURE})\s"
    found = re.findall(pattern, table.render(document))
    assert len(found) == len(shown(document))
    for ratio, baseline, variant in found:
        assert divides(baseline, variant, ratio), (ratio, baseline, variant)


def test_markdown_divides(document):
    lines = [line for line in md.render(document).splitlines() if re.match(rf"\| .* \| {RATIO}", line)]
    assert len(lines) == len(shown(document))
    for line in lines:
        _, ratio, baseline, variant, _ = (cell.strip() for cell in line.strip("|").split("|"))
        assert divides(baseline, variant, first_ratio(ratio)), line


def test_csv_divides_exactly(document):
    rows = [row for row in csv.DictReader(io.StringIO(csv_format.render(document))) if row["ratio"]]
    assert len(rows) == len(shown(document))
    for row in rows:
        quotient = float(row["baseline_value"]) / float(row["variant_value"])
        assert float(row["ratio"]) == pytest.approx(quotient, rel=EXACT)
        if row["claim"] == "time":
            own = [float(row[f"{one}_{row['clock']}_seconds"]) for one in ("baseline", "variant")]
            assert own[0] / own[1] == pytest.approx(quotient, rel=EXACT)


def test_junit_divides(document):
    text = "\n".join(one.text for one in ET.fromstring(junit.render(document)).iter("system-out"))
    found = re.findall(rf"({RATIO}) (?:\[[^\]]*\]|exact|no interval) \(({FIGURE}) to ({FIGURE})\)", text)
    assert len(found) == len(shown(document))
    for ratio, baseline, variant in found:
        assert divides(baseline, variant, ratio), (ratio, baseline, variant)


def test_the_page_divides(document):
    page = Page(html.render(document))
    verdicts = [flat(one.text) for one in page.find("div") if one.attributes.get("class", "").startswith("verdict")]
    pattern = rf"({RATIO}) (?:\[[^\]]*\]|exact|no interval).*?\(({FIGURE}) → ({FIGURE})\)"
    found = [said.groups() for text in verdicts if (said := re.search(pattern, text))]
    if len(document.targets) == 1:  # its sentence stands on top of the page, and not once more below
        assert not found
        found = re.findall(rf"({RATIO}) \w[^(]*\(({FIGURE}) → ({FIGURE})\)", flat(page.one("p", class_="lede").text))
    summary = [cells(row) for row in inside(page.one("table", class_="summary stacked"), "tr")]
    found += [(first_ratio(row[2]), *row[-2:]) for row in summary if len(row) >= 6 and row[2] != "ratio"]
    assert len(found) == 2 * len(shown(document))
    for data in page.find("table", class_="data"):
        for row in (cells(one) for one in inside(data, "tr")):
            figures = [cell for cell in row[1:-1] if re.fullmatch(FIGURE, cell)]
            if re.fullmatch(RATIO, row[-1]) and len(figures) == 2:
                found.append((row[-1], *figures))
    for ratio, baseline, variant in found:
        assert divides(baseline, variant, ratio), (ratio, baseline, variant)


def flat(text):
    return " ".join(text.split())


def inside(element, tag):
    """Every element of this kind below another."""
    for one in element.children:
        yield from [one] if one.tag == tag else []
        yield from inside(one, tag)


def cells(row):
    return [flat(cell.text) for cell in row.children if cell.tag in ("td", "th")]


def test_a_chapter_table_divides(document):
    names = {one.target: list(one.ratios) for one in document.targets if one.ratios}
    empty = dict.fromkeys(Pair.__dataclass_fields__)
    pairs = [
        Pair(**empty | {"name": name, "variants": tuple(variants), "source_sha256": "", "code_sha256": ""})
        for name, variants in names.items()
    ]
    check_chapter_table(chapter_table(pairs, [document]))


def test_a_sweep_divides():
    points = [target(f"x {at}", judged(ratio=1.1**at, low=0.1, high=9.9, variant=1.7**at)) for at in range(-9, 9)]
    axes = {"sweep": {"axes": {"n": list(range(18))}, "target": "x", "written": "x"}}
    text = sweep_table.render(run(*points, options=axes))
    found = re.findall(rf"({RATIO}) \[[^\]]*\]\s+({FIGURE})\s+({FIGURE})\n", text)
    assert len(found) == len(points)
    for ratio, baseline, variant in found:
        assert divides(baseline, variant, ratio), (ratio, baseline, variant)


def test_what_the_history_lists_divides(document):
    rows = result_rows(entry_of(json.loads(document_text(document))).results)
    times = [row for row in rows if re.fullmatch(RATIO, row[3])]
    assert times
    for row in times:
        assert divides(row[5], row[6], row[3]), row


TABLES = [*ROOT.glob("README.md"), *ROOT.glob("chapters/*/README.md"), *ROOT.glob("labs/*/README.md")]


@pytest.mark.parametrize("path", TABLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_tables_of_this_repository_divide(path):
    text = path.read_text()
    if BEGIN in text:
        check = check_front_table if path.parent == ROOT else check_chapter_table
        check(text.partition(BEGIN)[2].partition(END)[0])


def check_front_table(text):
    rows = [named(line, front_table.TITLES) for line in text.strip().splitlines()[2:]]
    assert rows
    for row in rows:
        assert divides(row["before"], row["after"], first_ratio(row["result"])), row


def named(line, titles):
    return dict(zip(titles, (cell.strip() for cell in line.strip().strip("|").split(" | ")), strict=False))


def check_chapter_table(text):
    """Rows of older tables, which have no column of launches, are as their documents were."""
    for line in text.splitlines():
        row = named(line, TITLES)
        if len(row) < len(TITLES) or not re.match(RATIO, row["measured"]):
            continue
        assert divides(row["baseline"], row["variant"], first_ratio(row["measured"])), line
        assert not row["verdict"].startswith("indicative"), line
        assert row["launches"] == "–" or int(row["launches"]) >= LEAST_LAUNCHES, line


def test_the_check_can_fail():
    assert divides("907 µs", "18.3 µs", "49.6x") and not divides("907 µs", "18.3 µs", "47.6x")
    assert divides("14.1 MiB", "10.1 MiB", "1.40x") and not divides("14.1 MiB", "10.1 MiB", "1.37x")
    assert not divides("6.42 ms", "736 µs", "5.11x")
    with pytest.raises(AssertionError):
        check_exactly("x", {"ratio": 2.0, "baseline": 2.0, "variant": 1.0 + 1e-8})
    with pytest.raises(AssertionError):
        check_chapter_table("| x | vendor | faster | 47.6x [46.3, 49.1] | – | 907 µs | 18.3 µs | – | 8 | m | d | s |")
    with pytest.raises(AssertionError):
        check_front_table("\n\n| Do it once. | faster 47.6x [46.3, 49.1] | 907 µs | 18.3 µs | m | x |")


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-9, 1e3), st.floats(1e-3, 1e4), st.sampled_from(["time", "memory", "energy", "metric"]))
def test_any_figures_are_printed_so_that_they_divide(variant, ratio, claim):
    scale = 1e9 if claim == "memory" else 1.0
    one = target(ratio=judged(ratio=ratio, low=ratio * 0.99, high=ratio * 1.01, variant=variant * scale, claim=claim))
    (row,) = rows_of(run(one))
    assert divides(row.baseline, row.measured, first_ratio(row.ratio)), row
