"""Search, filters, sorting and pages: in the address, and the same in the form."""

import pytest

from tests.report.page_reader import Page
from tests.report.sample_runs import judged, run, target
from tests.web.conftest import client_of
from tests.web.sample_site import name_of, save


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """130 runs of 130 targets: two chapters and an own file, two machines, two tags, one crash."""
    folder = tmp_path_factory.mktemp("busy")
    for at in range(130):
        name = f"20250{1 + at // 28:d}{1 + at % 28:02d}T120000Z-n-{at:06x}"
        one = target(
            f"ch0{1 + at % 2}:number_{at:03d}", judged("faster" if at % 3 else "same", 1.0 + at / 100, 1.0, 3.0)
        )
        if at == 7:
            one = target("own_file", status="crashed", reason="boom")
        machine = {"kind": "laptop" if at < 100 else "server"}
        save(folder, run(one, machine=machine, options={"tags": ["nightly" if at % 2 else "weekly"]}), name)
    return client_of(folder)


def rows(client, path, **query):
    """The heads of the rows of the list, and how many there are in all."""
    page = Page(client.get(path, params=query).text)
    kind = "runs" if path == "/runs" else "summary"
    tables = [one for one in page.find("table") if kind in one.attributes["class"]]
    bodies = [one for table in tables for one in table.children if one.tag == "tbody"]
    heads = [next(cell.text for cell in row.children if cell.tag == "th") for body in bodies for row in body.children]
    said = next(one.text for one in page.find("nav") if one.attributes["class"] == "pages")
    return heads, " ".join(said.split())


def test_every_run_is_on_one_of_the_pages(busy):
    seen = [head for number in (1, 2, 3) for head in rows(busy, "/runs", page=number)[0]]
    assert len(seen) == len(set(seen)) == 130
    assert rows(busy, "/runs", page=3)[1].startswith("101 to 130 of 130 runs")
    for odd in ("0", "-1", "99999999999", "x", "4"):
        assert rows(busy, "/runs", page=odd)[0]


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ({"q": "number_012"}, 1),
        ({"q": "NUMBER_01 ch01"}, 5),
        ({"verdict": "crashed"}, 1),
        ({"machine": "server"}, 30),
        ({"chapter": "ch02", "machine": "server"}, 15),
        ({"chapter": "no chapter"}, 1),
        ({"tag": "weekly", "machine": "server"}, 15),
        ({"q": "nothing like that"}, 0),
    ],
)
def test_words_and_filters_keep_what_fits_on_both_lists(busy, query, number):
    for path in ("/", "/runs"):
        assert len(rows(busy, path, **query)[0]) == number, path


def test_a_run_is_found_by_its_id(busy):
    assert len(rows(busy, "/runs", q="00007f")[0]) == 1


def test_results_are_sorted_as_asked(busy):
    assert "number_129" in rows(busy, "/", sort="gain")[0][0]
    assert "number_000" in rows(busy, "/", sort="loss")[0][0]
    assert "own_file" in rows(busy, "/", sort="verdict")[0][0]
    assert "number_129" in rows(busy, "/", sort="newest")[0][0]
    assert "000000" in rows(busy, "/runs", sort="oldest")[0][0]


def test_the_form_and_the_links_to_pages_keep_what_was_asked(busy):
    page = Page(busy.get("/runs", params={"q": "number", "machine": "laptop", "sort": "oldest"}).text)
    assert page.one("input", id="q").attributes["value"] == "number"
    chosen = [one.text for one in page.find("option") if "selected" in one.attributes]
    assert chosen == ["laptop", "oldest first"]
    following = {one.attributes["href"] for one in page.find("a", rel="next")}
    assert following == {"/runs?q=number&machine=laptop&sort=oldest&page=2"}


def test_the_counts_of_verdicts_are_filters(busy):
    links = [one.attributes["href"] for one in Page(busy.get("/?q=number").text).find("a")]
    assert "/?q=number&verdict=same" in links


def test_script_in_a_filter_is_words(busy):
    evil = "<script>alert(1)</script>"
    for path in ("/", "/runs"):
        answer = busy.get(path, params=dict.fromkeys(("q", "verdict", "machine", "chapter", "tag", "sort"), evil))
        assert answer.status_code == 200 and "<script>alert" not in answer.text
        Page(answer.text)


def test_the_first_page_begins_with_what_changed(tmp_path):
    save(tmp_path, run(target(ratio=judged("faster", 2.0, 1.9, 2.1))), name_of(1, "x"))
    save(tmp_path, run(target(ratio=judged("faster", 1.5, 1.4, 1.6))), name_of(2, "x"))
    page = Page(client_of(tmp_path).get("/").text)
    assert page.find("h2")[0].text == "What changed on 2025-01-02"
    changes = page.one("table", class_="stacked list").text
    assert "worse" in changes and "faster 2.00x" in changes
    links = [one.attributes["href"] for one in page.find("a")]
    assert f"/compare?a={name_of(1, 'x')}&b={name_of(2, 'x')}" in links


def test_chapters_are_offered_only_if_there_are_some(busy, tmp_path):
    save(tmp_path, run(target("frames.py: loop against grouped"), target("mine")), name_of(1, "own"))
    own = client_of(tmp_path)
    for path in ("/", "/runs", "/history"):
        assert 'name="chapter"' in busy.get(path).text
        assert 'name="chapter"' not in own.get(path).text
