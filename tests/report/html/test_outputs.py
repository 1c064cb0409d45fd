"""What two programs print is shown on the page if it differs."""

from perfproof.core.documents import Warning
from perfproof.report.formats import html
from perfproof.report.html.outputs import MOST_LINES, printed_diff
from tests.report.sample_runs import judged, run, target

DIFFERENT = Warning(code="W140", text="the two print different things (1 against 2)")


def programs(tmp_path, a, b, kept="outputs", **fields):
    (tmp_path / kept).mkdir(parents=True)
    for side, text in (("a", a), ("b", b)):
        (tmp_path / kept / f"{side}.stdout").write_text(text)
    return target("x", program={"kept_in": kept}, warnings=[DIFFERENT], **fields)


def test_lines_that_differ_are_shown_with_a_few_around_them(tmp_path):
    found = printed_diff(programs(tmp_path, "0\n1\n2\n3\n4\nold\n", "0\n1\n2\n3\n4\nnew\n", "outputs/2"), tmp_path)
    assert [(line.mark, line.text) for line in found] == [(" ", "3"), (" ", "4"), ("-", "old"), ("+", "new")]


def test_long_outputs_are_cut_and_equal_ones_or_files_elsewhere_are_not_shown(tmp_path):
    long = programs(tmp_path, "a\n" * 100, "b\n" * 100)
    assert len(printed_diff(long, tmp_path)) == MOST_LINES + 1
    assert not printed_diff(long, None) and not printed_diff(target("x", program={"kept_in": "outputs"}), tmp_path)
    outside = long.model_copy(update={"program": {"kept_in": "../outputs"}})
    assert not printed_diff(outside, tmp_path / "run")


def test_the_page_says_that_the_gate_failed_why_and_what_differs(tmp_path):
    one = programs(tmp_path, "<1>\n", "2\n", ratio=judged("same", 1.0, 0.99, 1.01))
    page = html.render(run(one, options={"gate": True}), tmp_path)
    assert "<strong>Gate failed:</strong> the two print different things" in page and "tone-bad" in page
    assert "<del>- &lt;1&gt;</del>" in page and "<ins>+ 2</ins>" in page
    passed = html.render(run(target("x", judged("same", 1.0, 0.99, 1.01)), options={"gate": True}))
    assert "<strong>Gate passed:</strong>" in passed and "Gate" not in html.render(run(target("x")))
