"""One HTML page: nothing outside it is needed, nothing in a document can become markup, nothing is left out."""

import base64
import hashlib
import re
from itertools import pairwise
from pathlib import Path

import pytest

import perfproof
from perfproof.core.documents import Check, Kernel, Warning
from perfproof.report.formats import html
from tests.pairs.full_pair import write_new
from tests.report.page_reader import Page
from tests.report.sample_pages import rich_target, sample_rows, write_samples
from tests.report.sample_runs import everything, judged, run, side, target

ATTACK = "</script></style><script>alert(1)</script><img src=//evil.example onerror='alert(2)'>\" onload=\"x"
LOADING = ("src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "manifest", "style")


@pytest.fixture
def folder(tmp_path):
    write_samples(tmp_path, sample_rows())
    return tmp_path


def page_of(document, folder=None):
    return Page(html.render(document, folder))


def test_the_page_refers_to_nothing_outside_itself(folder):
    text = html.render(run(rich_target(), *everything().targets), folder)
    page = Page(text)
    idents = {one.attributes["id"] for one in page.elements if "id" in one.attributes}
    for element in page.elements:
        assert not set(LOADING) & set(element.attributes), element
        assert not any(name.startswith("on") for name in element.attributes), element
        assert element.tag not in ("img", "link", "iframe", "object", "embed", "base", "form", "video", "audio", "use")
        for name in ("href", "xlink:href"):
            if name in element.attributes:
                assert element.attributes[name].startswith("#") and element.attributes[name][1:] in idents, element
    assert "://" not in text and "url(" not in text and "@import" not in text
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|import|eval)\b *\(", page.one("script").text)


def test_the_policy_lets_nothing_load_and_names_style_and_script_by_their_hash(folder):
    page = page_of(run(rich_target()), folder)
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for rule, tag in (("style-src", "style"), ("script-src", "script")):
        digest = base64.b64encode(hashlib.sha256(page.one(tag).text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def attacked():
    bad = rich_target(
        ATTACK,
        lesson=ATTACK,
        tier=ATTACK,
        path=ATTACK,
        source_sha256=ATTACK,
        device=ATTACK,
        kernel_clock=ATTACK,
        sizes={ATTACK: ATTACK},
        checks=[Check(name=ATTACK, result="fail", detail=ATTACK)],
        warnings=[Warning(code=ATTACK, text=ATTACK), Warning(code="W101", text=ATTACK)],
        pool={"sets": ATTACK, "bytes": 5, "renewal": ATTACK},
        program={ATTACK: ATTACK, "a": {"command": [ATTACK]}},
        telemetry={"seconds": 1.0, "median": {ATTACK: 1.0}, "sides": {ATTACK: {ATTACK: ATTACK}}},
        output_tail=ATTACK,
    )
    bad.variants[ATTACK] = bad.variants.pop("optimized")
    bad.variants[ATTACK].kernels = [Kernel(name=ATTACK, count=1, seconds=1.0)]
    bad.variants[ATTACK].light.ceiling = ATTACK
    bad.ratios[ATTACK] = bad.ratios.pop("optimized")
    bad.ratios[ATTACK].note = ATTACK
    machine = {"kind": ATTACK, "warnings": [{"code": "W108", "text": ATTACK}], "software": {ATTACK: ATTACK}}
    machine["gpus"] = [{"name": ATTACK, "clock_sm_max_mhz": ATTACK}]
    return run(
        bad,
        target(ATTACK, status="crashed", reason=ATTACK),
        machine=machine,
        command=["perfproof", ATTACK],
        git={"commit": ATTACK, "branch": ATTACK},
        planned=[ATTACK, ATTACK + "2"],
        options={ATTACK: ATTACK, "effort": ATTACK},
    )


def test_nothing_in_a_document_becomes_markup(tmp_path):
    rows = [{**row, "side": row["side"].replace("optimized", ATTACK), "kind": ATTACK} for row in sample_rows()]
    write_samples(tmp_path, rows)
    text = html.render(attacked(), tmp_path)
    page = Page(text)
    assert [one.text for one in page.find("script")] == [page.one("script").text]
    assert not page.find("img") and "alert" not in page.one("script").text
    assert text.count("<script") == 1 and "<img" not in text
    assert not any(name.startswith("on") for one in page.elements for name in one.attributes)
    assert page.text.count(ATTACK) > 20  # shown as the text that it is


def test_characters_that_hide_or_turn_text_are_made_visible():
    shown = page_of(run(target(status="crashed", output_tail="\x1b[31mred\x1b[0m \x00 a\u202eb \x9b")))
    assert "red \\u0000 a\\u202eb \\u009b" in shown.text
    assert "\x1b" not in shown.text


def test_losses_and_null_results_are_counted_beside_the_gains():
    counts = page_of(everything()).one("ul", class_="counts")
    said = {" ".join(one.text.split()) for one in counts.children}
    assert {"2 ▲ faster", "1 ▼ slower", "1 = same", "1 ? unstable", "1 – skipped", "1 ✕ crashed"} <= said
    assert sum(int(one.split()[0]) for one in said) == 13


def test_every_target_has_its_verdict_with_ratio_and_interval():
    page = page_of(everything())
    headings = [one.text for one in page.find("h2")]
    assert all(one.target in headings for one in everything().targets)
    summary = page.one("table", class_="summary stacked")
    assert "3.21x [3.18, 3.24]" in summary.text and "needs a GPU of capability 9.0" in summary.text
    assert "against a naive baseline" in page.text and "no headline" in page.text


@pytest.mark.parametrize("status", ["failed-verification", "rejected"])
def test_no_time_stands_beside_a_wrong_answer(folder, status):
    wrong = rich_target(status=status, verdict=None, ratios={}, reason="optimized: wrong")
    shown = page_of(run(wrong), folder)
    assert "optimized: wrong" in shown.text and "1 passed" in shown.text
    assert not shown.find("figure") and "1.00 ms" not in shown.text and "2.00 ms" not in shown.text


def test_an_unfinished_run_names_what_is_missing():
    shown = page_of(run(target(), state="interrupted", planned=["ch01:batched_gemm", "ch09:later"]))
    assert (
        "1 of 2 targets have a result" in shown.text
        and "ch09:later" in shown.one("table", class_="summary stacked").text
    )


def test_all_parts_of_a_rich_document_are_shown(folder):
    text = page_of(run(rich_target(), command=["perfproof", "run", "a b"]), folder).text
    for part in (
        "Do less.",
        "hot: one set of arguments, cached",
        "kernel: the device is busy",
        "void gemm<128, 256>(Args)",
        "24 % of memory/copy, memory bound",
        "0.5 J",
        "2.00 MiB",
        "2 ranks, gloo, by fork",
        "gpu0.power_watts",
        "gpu0: share at the power limit",
        "Checks: 1 passed, 0 failed, 1 not run",
        "nothing is known of this machine",
        "W160 launch-bound: the host needs 9 µs",
        "The host needs about as long to queue a call",
        "perfproof run 'a b'",
        "perfproof rerun 20250101T000000Z-tour-abc123",
        "the baseline against its own twin: +0.10 %",
        "The raw samples give these ratios again",
    ):
        assert part in " ".join(text.split()), part


def test_the_title_names_target_and_day_and_the_headline_says_the_result(folder):
    page = page_of(run(rich_target()), folder)
    assert page.one("h1").text == "ch07:everything, 1 January 2025"
    assert page.find("title")[0].text == f"{page.one('h1').text} – perfproof"
    assert re.match(r"optimized is 2\.\d+x faster than baseline \(", page.one("p", class_="lede").text)
    assert "20250101T000000Z-tour-abc123" in page.one("p", class_="under").text


def test_the_table_names_the_sides_and_what_was_judged_and_what_a_ratio_below_1x_means():
    slower = judged("slower", 0.8, 0.79, 0.81, clock="cpu")
    page = page_of(run(target("x", slower, labels={"baseline": "v1", "optimized": "main"})))
    caption = page.one("table", class_="summary stacked").text
    assert "Ratio is v1 over main, in CPU time," in caption and "0.80x is 1.25x more CPU time" in caption
    assert "ratio of CPU time" in caption and "more CPU time than v1" in page.one("p", class_="lede").text


def test_each_row_names_what_was_judged_if_the_rows_differ():
    page = page_of(run(target("x", judged(clock="cpu")), target("y")))
    cells = [one.text for one in page.find("td", class_="ratio")]
    assert "CPU time" in cells[0] and "time" not in cells[1]


def test_a_command_that_names_the_latest_run_is_not_repeated():
    text = page_of(run(target(), planned=["x"], command=["perfproof", "rerun", "latest", "--effort", "standard"])).text
    assert "rerun latest" not in text and "perfproof rerun 20250101T000000Z-tour-abc123" in text


def test_the_contents_lead_to_every_section_and_every_heading_has_a_link_to_itself(folder):
    page = page_of(run(rich_target(), *everything().targets), folder)
    contents = page.one("nav", class_="toc")
    headings = {one.attributes["id"]: one for one in page.find("h2")}
    linked = [one.attributes["href"][1:] for one in page.find("a") if one.attributes["href"][1:] in headings]
    assert set(linked) == set(headings) and all(one.text in contents.text for one in page.find("h2"))
    permalinks = page.find("a", class_="permalink")
    assert [one.attributes["href"][1:] for one in permalinks] == list(headings)
    assert all(one.attributes["aria-label"] for one in permalinks)


def test_notes_stand_apart_from_warnings(folder):
    said = [Warning(code="W101", text="warm"), Warning(code="W104", text="near the floor")]
    machine = {"kind": "k", "warnings": [{"code": "W108", "text": "a guest"}, {"code": "W107", "text": "busy"}]}
    page = page_of(run(rich_target(warnings=said), machine=machine), folder)
    heads = [one.text for one in page.find("h3")]
    assert heads == ["Warnings about the machine", "Notes about the machine", "Warnings", "Measurements", "Notes"]
    lists = [one.text for one in page.find("ul", class_="warnings")]
    assert [word in text for word, text in zip(("busy", "a guest", "near", "warm"), lists, strict=True)] == [True] * 4


def test_what_the_pair_predicts_stands_beside_what_was_measured():
    counted = target(cost={"bytes": 4.0, "baseline_bytes": 12.0})
    summary = page_of(run(counted, target("ch01:uncounted"))).one("table", class_="summary stacked")
    rows = [" ".join(one.text.split()) for one in summary.children[-1].children]
    assert "3.21x [3.18, 3.24]3.00x bytes3.21 ms" in rows[0] and "3.24]–3.21 ms" in rows[1]


def test_the_command_that_repeats_the_run_stands_on_top():
    commands = page_of(run(target())).find("pre", class_="command short")
    assert [one.text for one in commands] == ["perfproof rerun 20250101T000000Z-tour-abc123"]
    assert not page_of(run(target(), options={"functions": {}})).find("pre", class_="command short")


def test_figures_have_words_for_those_who_cannot_see_them(folder):
    page = page_of(run(rich_target()), folder)
    figures = page.find("svg", role="img")
    assert len(figures) == 5  # times, forest, speed of light, spread, order
    for figure in figures:
        title, description = figure.children[:2]
        assert (title.tag, description.tag) == ("title", "desc") and len(description.text) > 20
        assert figure.attributes["aria-labelledby"].split() == [title.attributes["id"], description.attributes["id"]]
    others = [one for one in page.find("svg") if one not in figures]
    assert others and all(one.attributes["aria-hidden"] == "true" for one in others)


def test_headings_tables_and_names_are_as_a_reader_of_structure_needs_them(folder):
    page = page_of(run(rich_target(), *everything().targets), folder)
    idents = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(idents) == len(set(idents))
    levels = [int(one.tag[1]) for one in page.elements if re.fullmatch("h[1-6]", one.tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all("scope" in one.attributes for one in page.find("th"))
    assert len(page.find("caption")) == len(page.find("table"))
    for one in page.elements:
        if one.attributes.get("class") == "scroll":
            assert one.attributes["tabindex"] == "0" and one.attributes["aria-label"]
    assert page.one("html").attributes["lang"] == "en"


def test_fifty_targets_stay_below_a_megabyte(tmp_path):
    write_samples(tmp_path, sample_rows(launches=15, quads=20))
    pair = write_new("summed", tmp_path)
    source = {"path": str(pair), "source_sha256": hashlib.sha256(pair.read_bytes()).hexdigest()}
    text = html.render(run(*(rich_target(f"ch07:number_{at}", **source) for at in range(50))), tmp_path)
    assert text.count("def baseline") == 50
    assert len(text.encode()) < 1_000_000


def test_a_document_without_its_folder_says_that_the_samples_are_not_here():
    assert "No figures of the samples: the run's folder is not here." in page_of(run(rich_target())).text


def test_the_folder_is_found_where_the_run_says_it_was_saved(tmp_path):
    document = run(rich_target(), options={"artifacts_dir": str(tmp_path)})
    folder = tmp_path / document.run
    write_samples(folder, sample_rows())
    (folder / "run.json").write_text("{}")
    assert "The raw samples give these ratios again" in page_of(document).text


def test_a_ratio_without_interval_and_a_side_without_times_are_no_obstacle(folder):
    odd = rich_target(
        ratios={"optimized": judged("inconclusive", 1.1, None, None, units=[0.1])},
        variants={"baseline": side(0.0), "optimized": side(1e-3)},
    )
    assert "1.100x no interval" in page_of(run(odd), folder).text


def test_templates_are_inside_the_package_so_that_the_wheel_has_them():
    assert html.TEMPLATES.is_relative_to(Path(perfproof.__file__).parent)
    assert {"report.html", "target.html", "parts.html", "report.css", "report.js"} <= {
        one.name for one in html.TEMPLATES.iterdir()
    }


def test_sentences_show_code_keep_units_and_stay_text():
    filled = html.environment().from_string("{{ said | prose }}").render(said="`a<b>` took 3 ms of 5 samples")
    assert filled == "<code>a&lt;b&gt;</code> took 3\u00a0ms of 5 samples"


def test_the_result_of_a_single_target_is_said_once_and_of_several_beside_each():
    sentence = "optimized is 2.00x faster than baseline"
    assert page_of(run(rich_target())).text.count(sentence) == 1
    assert page_of(run(rich_target("a"), rich_target("b"))).text.count(sentence) == 2
