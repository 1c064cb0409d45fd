"""Fragments and the page of a profile: complete, loading nothing, and deaf to what a file wants to smuggle in."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from perfproof.core.events import Events, Kind, Total
from perfproof.profile.allocations import Allocation, Recorded, recorded_in
from perfproof.profile.compile_log import read_compile_log
from perfproof.profile.memory_story import memory_stories
from perfproof.profile.reading import read
from perfproof.profile.weighed_stacks import Stacks, stacks_of
from perfproof.report.html import profile
from perfproof.report.html.profile_page import ProfilePage, render_fragments, render_page, style
from tests.report.page_reader import Page
from tests.report.sample_profiles import gpu_trace

RECORDED = Path(__file__).parents[2] / "profile" / "recorded_torch"
ATTACK = "</script></style><script>alert(1)</script><img src=//evil.example onerror='alert(2)'>\" onload=\"x"
LOADING = ("src", "srcset", "action", "data", "poster", "background", "style", "href")


def page_of(*fragments, **more):
    page = ProfilePage(
        more.pop("title", "trace.json"), [("file", "trace.json")], [one for one in fragments if one], **more
    )
    return render_page(page)


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(gpu_trace()))
    return read(path)


def all_fragments(trace):
    memory = RECORDED / "memory_trace.json.gz"
    events = read(memory)
    return [
        profile.timeline_fragment(trace),
        profile.flame_fragment(stacks_of(events)),
        *profile.memory_fragments(memory_stories(recorded_in(events), events)),
        profile.compile_fragment(read_compile_log((RECORDED / "torch_logs.txt").read_text())),
        profile.readings_fragment(events),
    ]


def test_the_page_loads_nothing_and_its_policy_says_so(trace):
    text = page_of(*all_fragments(trace))
    page = Page(text)
    for element in page.elements:
        assert not set(LOADING) & set(element.attributes), element
        assert not any(name.startswith("on") for name in element.attributes), element
        assert element.tag not in ("img", "link", "iframe", "object", "embed", "base", "form", "use")
    assert "://" not in text and "url(" not in text and "@import" not in text
    policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    for rule, tag in (("style-src", "style"), ("script-src", "script")):
        digest = base64.b64encode(hashlib.sha256(page.one(tag).text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_every_class_of_a_figure_has_a_style(trace):
    text = page_of(*all_fragments(trace))
    used = {word for found in re.findall(r'class="([^"]*)"', text) for word in found.split()}
    sheet = Page(text).one("style").text
    drawn = {"frame", "work", "pause", "compute", "communication", "input", "sync", "launch", "area", "live", "peak"}
    assert drawn <= used
    for name in drawn:
        assert re.search(rf"\.{name}\b", sheet), name


def test_idents_are_unique_and_every_figure_has_its_words(trace):
    page = Page(page_of(*all_fragments(trace)))
    idents = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(idents) == len(set(idents))
    figures = page.find("svg", role="img")
    assert len(figures) == 3
    for figure in figures:
        assert set(figure.attributes["aria-labelledby"].split()) <= set(idents)


def test_the_step_tells_why_the_device_was_idle(trace):
    fragment = profile.timeline_fragment(trace)
    assert dict(fragment.facts)["idle: waits for input"] == "760 µs, 25.3 %"
    assert [row[0].text for row in fragment.tables[0].rows][:1] == ["gemm_kernel"]


def test_memory_tells_leak_peak_and_what_is_unknown():
    path = RECORDED / "memory_trace.json.gz"
    events = read(path)
    (fragment,) = profile.memory_fragments(memory_stories(recorded_in(events), events))
    assert dict(fragment.facts)["leaks across steps"] == "1 found"
    assert [table.caption for table in fragment.tables] == [
        "Leaks across steps",
        "Who holds the peak",
        "Largest at the peak",
    ]
    assert fragment.tables[0].rows[0][0].text == "aten::add ← trace.py(15): step ← trace.py(31): <module>"
    assert "fragmentation" in dict(fragment.unknown)


def test_a_snapshot_without_history_is_a_fragment_without_a_picture():
    events = Events("memory snapshot")
    events.totals = [Total(("GPU memory",), {"reserved_bytes": 2.0**20, "rounding_bytes": 0.0}, 0)]
    (fragment,) = profile.memory_fragments(memory_stories(Recorded([], []), events))
    assert fragment.figure is None
    assert dict(fragment.facts) == {"reserved": "1.05 MB (1.00 MiB)", "lost to rounding": "0 B"}
    assert "no history" in dict(fragment.unknown)["timeline"]


def test_a_log_that_does_not_say_is_unknown_on_the_page():
    breaks = "\n".join(
        line for line in (RECORDED / "torch_logs.txt").read_text().splitlines() if "__recompiles" not in line
    )
    facts = dict(profile.compile_fragment(read_compile_log(breaks)).facts)
    assert facts["recompiles"] == "unknown" and facts["graph breaks"] == "3, 1 after warm-up"


def attacked():
    events = Events(ATTACK)
    events.add(Kind.RANGE, ATTACK, 0, 900, thread=1)
    events.add(Kind.KERNEL, ATTACK, 100, 300, device=0, stream=7)
    events.read(ATTACK, 5, 1.0, ATTACK)
    events.unknown = {ATTACK: ATTACK, "device": ATTACK}
    own = [Allocation(ATTACK, 0, 10, 5, (ATTACK, ATTACK), False)]
    log = f"V1115 10:19:17.9 1 a.py:1] [0/0] [__graph_breaks] Graph break in user code at {ATTACK}:8\n"
    log += f"V1115 10:19:17.9 1 a.py:1] [0/0] [__graph_breaks] Reason: {ATTACK}\n"
    return events, [
        profile.timeline_fragment(events),
        profile.flame_fragment(Stacks({(ATTACK, "\x00\u202e"): 1.0}, ATTACK)),
        *profile.memory_fragments(memory_stories(Recorded(own, []), events)),
        profile.compile_fragment(read_compile_log(log)),
        profile.readings_fragment(events),
    ]


def test_nothing_in_a_profile_becomes_markup():
    events, fragments = attacked()
    page = Page(page_of(*fragments, title=ATTACK, unknown=list(events.unknown.items()), warnings=[ATTACK]))
    assert len(page.find("script")) == 1 and "alert" not in page.one("script").text
    assert not page.find("img")
    assert not any(name.startswith("on") for one in page.elements for name in one.attributes)


def test_secrets_in_names_are_hidden():
    stacks = Stacks({("run --token=hf_abcdefghijklmnopqrstuvwxyz",): 1.0})
    assert "hf_abcdef" not in page_of(profile.flame_fragment(stacks))


def test_fragments_stand_alone_in_a_page_of_somebody_else(trace):
    text = render_fragments([profile.timeline_fragment(trace)])
    assert text.count("<section") == 1 and "<html" not in text and ".pause" in style()


def test_nothing_to_show_gives_no_fragment():
    assert profile.timeline_fragment(Events("test")) is None
    assert profile.flame_fragment(Stacks()) is None
    assert profile.readings_fragment(Events("test")) is None
    assert profile.memory_fragments([]) == []


def test_samples_of_ours_name_the_functions_that_run_python_in_seconds():
    main = ("thread:MainThread", "main (a.py:3)")
    fragment = profile.flame_fragment(
        Stacks({(*main, "work (a.py:9)", "[python]"): 1500.0, (*main, "[aten::add]"): 500})
    )
    functions, innermost = fragment.tables
    assert functions.caption == "The program's own functions"
    assert [[cell.text for cell in row] for row in functions.rows] == [
        ["main (a.py)", "100.0 %", "2.00 s", "0.0 %"],
        ["work (a.py)", "75.0 %", "1.50 s", "75.0 %"],
    ]
    assert [row[0].text for row in innermost.rows] == ["[python] work (a.py:9)", "[aten::add]"]
    assert fragment.figure.caption.startswith("2.00 s in all.")


def test_stacks_of_another_tool_have_one_table_and_count_samples():
    fragment = profile.flame_fragment(Stacks({("main (a.py:3)", "[unknown]"): 3.0}))
    assert [table.caption for table in fragment.tables] == ["Innermost frames"]
    assert fragment.figure.caption.startswith("3 samples in all.")
