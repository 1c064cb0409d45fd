"""`perfproof report`: saved runs in other formats, and the tables of the chapters."""

import json
from pathlib import Path

import pytest

from perfproof.cli.output import SUFFIXES
from perfproof.core.options import PROGRAM_EFFORTS, ProgramEffort
from perfproof.history.folders import list_runs
from perfproof.pairs import catalogue
from perfproof.report import climb
from perfproof.report.chapters import BEGIN, END
from tests.pairs.full_pair import write_new


def test_a_saved_run_is_shown_as_it_was(perfproof, pair_files, fake_bench):
    first = perfproof("run", *pair_files("a")).out
    assert perfproof("report", "run", "latest").out == first


def test_a_saved_run_is_shown_in_another_format(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    assert perfproof("report", "run", "latest", "--format", "junit").out.startswith("<testsuites>")
    assert json.loads(perfproof("report", "run", "latest", "--json").out)["planned"] == ["a"]
    assert perfproof("report", "run", "latest", "--format", "docx").code == 2


def test_report_needs_no_second_word(perfproof, pair_files, fake_bench):
    files = pair_files("a", "b")
    perfproof("run", files[0])
    perfproof("run", files[1])
    earlier = list_runs("artifacts")[0].name
    assert perfproof("report").out == perfproof("report", "latest").out == perfproof("report", "run", "latest").out
    assert json.loads(perfproof("report", earlier[-6:], "--json").out)["run"] == earlier
    assert perfproof("report", "--format", "csv", "previous").out.startswith("target,variant")
    slip = perfproof("report", "chaptrs")
    assert slip.code == 2 and "chapters" in slip.err


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """A catalogue of one chapter with one pair and a README with marks."""
    folder = tmp_path / "chapters" / "ch01_goodput"
    folder.mkdir(parents=True)
    write_new("batched", folder)
    (folder / "README.md").write_text(f"# Goodput\n\n{BEGIN}\n{END}\n\nThe end.\n")
    monkeypatch.setattr(catalogue, "catalogue_root", lambda: tmp_path)
    return folder / "README.md"


def test_chapters_get_their_newest_results(perfproof, fake_bench, chapter):
    assert perfproof("report", "chapters").out == "chapters/ch01_goodput/README.md: written\n"
    assert "| ch01:batched | " in chapter.read_text() and "not measured yet" in chapter.read_text()
    perfproof("run", "ch01")
    perfproof("report", "chapters")
    text = chapter.read_text()
    assert "2.00x [1.90, 2.10]" in text and "not measured yet" not in text
    assert text.startswith("# Goodput\n\n") and text.endswith("\n\nThe end.\n")


def test_check_writes_nothing_and_fails_until_the_table_is_current(perfproof, fake_bench, chapter):
    before = chapter.read_text()
    checked = perfproof("report", "chapters", "--check")
    assert (checked.code, checked.out) == (1, "chapters/ch01_goodput/README.md: not current\n")
    assert chapter.read_text() == before
    perfproof("report", "chapters")
    checked = perfproof("report", "chapters", "--check")
    assert (checked.code, checked.out) == (0, "chapters/ch01_goodput/README.md: current\n")


def test_results_stay_when_the_runs_are_cleaned(perfproof, fake_bench, chapter):
    perfproof("run", "ch01")
    perfproof("report", "chapters")
    perfproof("clean", "--all")
    assert perfproof("report", "chapters", "--check").code == 0


def test_a_lab_with_marks_for_a_climb_gets_its_picture_and_keeps_it(perfproof, fake_bench, chapter):
    marked = chapter.read_text() + f"{climb.BEGIN}\nNot measured yet.\n{climb.END}\n"
    chapter.write_text(marked)
    picture = chapter.with_name(climb.PICTURE)
    perfproof("report", "chapters")
    assert "Not measured yet." in chapter.read_text() and not picture.exists()
    perfproof("run", "ch01")
    saved = list_runs("artifacts")[0] / "run.json"
    document = json.loads(saved.read_text())
    document["targets"][0]["cost"] = {"flops": 2e9}
    saved.write_text(json.dumps(document))
    perfproof("report", "chapters")
    assert f"({climb.PICTURE})" in chapter.read_text() and picture.read_text().startswith("<")
    perfproof("clean", "--all")
    assert perfproof("report", "chapters", "--check").code == 0


def test_a_readme_without_marks_is_left_alone_and_half_a_pair_is_an_error(perfproof, chapter):
    chapter.write_text("# Goodput\n")
    assert (perfproof("report", "chapters").code, chapter.read_text()) == (0, "# Goodput\n")
    chapter.write_text(f"# Goodput\n{BEGIN}\n")
    refused = perfproof("report", "chapters")
    assert refused.code == 2 and END in refused.err


def test_a_page_is_written_into_the_folder_of_the_run(perfproof, pair_files, fake_bench, tmp_path):
    perfproof("run", *pair_files("a"))
    written = perfproof("report", "run", "latest", "--format", "html")
    (page,) = tmp_path.glob("artifacts/*/report.html")
    assert (written.code, written.out) == (0, f"{page.relative_to(tmp_path)}\n")
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>") and "2.00x [1.90, 2.10]" in text and text.endswith("</html>\n")


def test_a_page_goes_where_it_is_sent(perfproof, pair_files, fake_bench, tmp_path):
    perfproof("run", *pair_files("a"))
    assert perfproof("report", "run", "latest", "--format", "html", "--output", "page.html").out == "page.html\n"
    printed = perfproof("report", "run", "latest", "--format", "html", "--output", "-").out
    assert printed == (tmp_path / "page.html").read_text()
    assert not list(tmp_path.glob("artifacts/*/report.html"))


@pytest.mark.parametrize(("name", "start"), [("x.md", "**"), ("x.csv", "target,"), ("x.xml", "<"), ("x.json", "{")])
def test_the_suffix_of_the_file_chooses_the_format(perfproof, pair_files, fake_bench, name, start):
    perfproof("run", *pair_files("a"))
    assert perfproof("report", "-o", name).out == f"{name}\n"
    written = Path(name).read_text()
    assert start in written[:200] and written == perfproof("report", "--format", SUFFIXES[Path(name).suffix]).out


def test_a_format_that_is_named_counts_more_than_the_suffix(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    perfproof("report", "--format", "csv", "-o", "x.txt")
    assert Path("x.txt").read_text().startswith("target,")
    assert perfproof("report", "-o", "page.html").out == "page.html\n" and "<html" in Path("page.html").read_text()


def test_a_page_that_cannot_be_written_is_one_line(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    refused = perfproof("report", "run", "latest", "--format", "html", "--output", "no/such/folder.html")
    assert refused.code == 2 and refused.err.count("\n") == 1 and "no/such/folder.html" in refused.err
    refused = perfproof("report", "run", "latest", "--output", "no/such/folder.md")
    assert refused.code == 2 and refused.err.count("\n") == 1 and "no/such/folder.md" in refused.err
    refused = perfproof("report", "run", "latest", "--output", "x.doc")
    assert refused.code == 2 and "--format" in refused.err and ".md" in refused.err


def test_a_pdf_is_printed_by_a_browser_into_the_folder_of_the_run(
    perfproof, pair_files, fake_bench, tmp_path, monkeypatch
):
    perfproof("run", *pair_files("a"))
    browser = tmp_path / "bin" / "chromium"
    browser.parent.mkdir()
    browser.write_text("#!/bin/sh\nfor one; do case $one in --print-to-pdf=*) echo %PDF > ${one#*=};; esac; done\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(browser.parent), prepend=":")
    written = perfproof("report", "run", "latest", "--format", "pdf")
    (page,) = tmp_path.glob("artifacts/*/report.pdf")
    assert (written.code, written.out) == (0, f"{page.relative_to(tmp_path)}\n") and page.read_text() == "%PDF\n"
    assert perfproof("report", "run", "latest", "--format", "pdf", "-o", "-").code == 2


def test_without_a_browser_a_pdf_is_refused_with_what_to_do(perfproof, pair_files, fake_bench, tmp_path, monkeypatch):
    perfproof("run", *pair_files("a"))
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = perfproof("report", "run", "latest", "--format", "pdf")
    assert refused.code != 0 and refused.err.count("\n") == 1 and "--format html" in refused.err


def test_json_is_the_document_whatever_the_format(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"))
    assert json.loads(perfproof("report", "run", "latest", "--format", "html", "--json").out)["planned"] == ["a"]


def test_many_runs_become_a_folder_of_linked_pages(perfproof, tmp_path):
    from ...web.sample_site import make_site

    names = make_site(tmp_path / "artifacts", samples=False)
    broken = tmp_path / "artifacts" / "20250130T120000Z-broken-00001e"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    done = perfproof("report", "index", "--output", "pages", "--last", "4")
    assert done.code == 0 and done.out == "pages/index.html\n"
    assert "left out" in done.err and "broken" in done.err
    index = (tmp_path / "pages" / "index.html").read_text()
    for name in names.values():
        assert f'href="{name}.html"' in index
        assert 'href="index.html"' in (tmp_path / "pages" / f"{name}.html").read_text()
    assert len(list((tmp_path / "pages").iterdir())) == 4, "three runs that can be read, and the index"
    told = json.loads(perfproof("report", "index", "--output", "pages", "--last", "4", "--json").out)
    assert told == {"index": "pages/index.html", "pages": {name: f"pages/{name}.html" for name in names.values()}}


def test_an_index_of_nothing_is_refused(perfproof):
    assert perfproof("report", "index").code == 5


def test_a_saved_run_is_judged_again_and_stays_as_it_was(perfproof, monkeypatch):
    monkeypatch.setitem(PROGRAM_EFFORTS, "quick", ProgramEffort(5, 5, 0.0))
    options = ("--effort", "quick", "--no-telemetry", "--device", "cpu")
    assert perfproof("ab", "sleep 0.01", "sleep 0.06", "--gate", *options).code == 1
    document = (list_runs("artifacts")[-1] / "run.json").read_text()
    passed = perfproof("report", "latest", "--delta", "99%", "--judge", "memory", "--gate", "-q")
    assert passed.code == 0 and passed.err.startswith("gate ") and "gate failed" not in passed.err
    failed = perfproof("report", "latest", "--delta", "2%", "--gate")
    assert failed.code == 1 and "Judged again by --delta 2% instead of 1%." in " ".join(failed.out.split())
    assert "W149" in perfproof("report", "latest", "--delta", "2%", "--json").out
    page = perfproof("report", "latest", "--delta", "2%", "-o", "again.html")
    assert page.code == 0 and "Gate failed" in Path("again.html").read_text()
    assert perfproof("report", "latest", "--delta", "2%", "--format", "pdf").code == 2
    wrong = perfproof("report", "latest", "--judge", "tps")
    assert wrong.code == 2 and "measured wall, cpu, memory" in wrong.err
    assert (list_runs("artifacts")[-1] / "run.json").read_text() == document
