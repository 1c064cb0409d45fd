"""Targets over time."""

import json

import pytest

from perfproof.history.index.rebuilding import open_index
from perfproof.history.index.series import Series, every_key, points_of
from perfproof.history.index.trends import analyse, record
from perfproof.history.kept_imports import keep_import
from tests.history.conftest import target, write_run
from tests.report.page_reader import Page
from tests.web.conftest import client_of
from tests.web.sample_site import STEP, make_site, name_of

SIZES = (1024, 4096)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A target at two sizes, and a program of another tool on two machines, where it became faster, and on none."""
    folder = tmp_path_factory.mktemp("many")
    artifacts = folder / "artifacts"
    for day in range(9):
        both = [target("ch01:x", 2.0 + rows / 1024, sizes={"n": rows}) for rows in SIZES]
        write_run(artifacts, day, both)
        for machine, seconds in (("laptop", 0.4), ("server", 0.1), (None, 7.0)):
            value = (seconds if day < 5 else seconds / 2) + day / 1e6
            file = folder / f"{machine}-{day}.json"
            result = {"command": "prog" if machine else "lost", "times": [value], "median": value}
            file.write_text(json.dumps({"results": [result]}))
            keep_import(artifacts, file, None, f"2026-02-{day + 1:02d}", [], machine)
    with open_index(artifacts, None) as index:
        for key in every_key(index, 8):
            record(index, analyse(index, Series(key, points_of(index, key))))
    return client_of(artifacts)


def inside(element, tag):
    """The elements of this tag in it, in their order."""
    return [one for child in element.children for one in ([child] if child.tag == tag else inside(child, tag))]


def lines_of(page, label):
    """Rows of a table with their link to a trend: (text, address)."""
    lines = []
    for row in inside(page.one("div", **{"aria-label": label}), "tr"):
        links = [one.attributes["href"] for one in inside(row, "a") if "/trend" in one.attributes["href"]]
        lines += [(row.text, link) for link in links]
    return lines


def newest(client, address):
    """The subtitle of a trend, and its newest point."""
    page = Page(client.get(address).text)
    points = next(one for one in page.find("table") if "Points, newest first" in one.text)
    return page.one("p", class_="under").text, inside(points, "tr")[1].text


def test_every_line_opens_its_own_series(many):
    lines = lines_of(Page(many.get("/history").text), "Table of series")
    assert len(lines) == 4 and len({address for _, address in lines}) == 4
    seen = [newest(many, address) for _, address in lines]
    for rows, (text, _), (under, point) in zip(SIZES, lines, seen, strict=False):
        assert f"n={rows}" in text and f"n={rows}; clock call" in under and f"{2 + rows / 1024:.2f}x" in point
    for machine, value, (text, _), (under, point) in zip(
        ("laptop", "server"), ("200 ms", "50.0 ms"), lines[2:], seen[2:], strict=True
    ):
        assert machine in text and f"on {machine}" in under and value in point


def test_a_change_opens_the_series_that_it_was_found_in(many):
    lines = lines_of(Page(many.get("/history").text), "Table of changes")
    assert len(lines) == 2 and all("step" in text and "prog" in text for text, _ in lines)
    unders = [newest(many, address)[0] for _, address in lines]
    assert sorted(under.split(" on ")[1].split()[0] for under in unders) == ["laptop", "server"]
    for _, address in lines:
        assert "step, better" in Page(many.get(address).text).text


def test_times_without_a_machine_are_said_and_not_drawn(many):
    text = Page(many.get("/history").text).text
    assert "times of 1 target have no trend" in text and "--machine NAME" in text and "lost" not in text
    answer = many.get("/history/trend", params={"target": "lost", "of": "time"})
    assert answer.status_code == 404 and "do not say on which machine" in Page(answer.text).text


def test_a_trend_leads_to_the_same_series_of_its_other_quantities_and_to_none_that_is_not_there(many):
    lines = lines_of(Page(many.get("/history").text), "Table of series")
    counts = {"n=1024": ["ratio", "time", "baseline"], "laptop": ["time"]}
    for word, expected in counts.items():
        address = next(address for text, address in lines if word in text)
        links = inside(Page(many.get(address).text).one("ul", class_="counts"), "a")
        assert [one.text.strip() for one in links] == expected
        for one in links:
            assert word in newest(many, one.attributes["href"])[0]


def test_every_series_is_listed_and_leads_to_its_trend(client):
    page = Page(client.get("/history").text)
    links = [one.attributes["href"] for one in page.find("a") if "/history/trend" in one.attributes["href"]]
    assert any("ch01%3Abatched_gemm" in link for link in links)
    for link in links:
        assert client.get(link).status_code == 200, link


def test_a_step_is_drawn_and_named_with_its_run(client):
    page = Page(client.get("/history/trend", params={"target": "ch01:batched_gemm"}).text)
    assert page.find("svg", role="group") and "step, worse" in page.text
    changed = next(one for one in page.find("table") if "changed with it" in one.text)
    assert name_of(STEP, "nightly") in changed.text
    assert client.get("/history/trend", params={"target": "ch01:batched_gemm", "of": "time"}).status_code == 200


def test_every_series_has_its_last_value_its_points_a_line_and_its_change(many):
    page = Page(many.get("/history").text)
    rows = inside(page.one("div", **{"aria-label": "Table of series"}), "tr")[1:]
    assert all(inside(row, "svg") for row in rows)
    assert "3.00x" in rows[0].text and "9" in rows[0].text and "2026" in rows[0].text
    laptop = next(row.text for row in rows if "laptop" in row.text)
    assert "200 ms" in laptop and "step -50" in laptop


def test_series_are_searched_and_the_form_keeps_the_words(many):
    page = Page(many.get("/history", params={"q": "prog laptop"}).text)
    assert len(lines_of(page, "Table of series")) == 1
    assert page.one("input", id="q").attributes["value"] == "prog laptop"
    assert "No series fits" in many.get("/history", params={"q": "nothing"}).text


def test_the_points_of_a_trend_lead_to_their_runs(client):
    page = Page(client.get("/history/trend", params={"target": "ch01:batched_gemm"}).text)
    links = {one.attributes["href"] for one in page.find("a", tabindex="-1")}
    assert f"/runs/{name_of(STEP, 'nightly')}" in links and len(links) >= 16


def test_a_trend_of_a_few_points_says_that_a_change_cannot_be_found(client):
    text = client.get("/history/trend", params={"target": "ch02:cache_blocking"}).text
    assert "too few points" in text and "No change was found" not in text


def test_a_run_that_comes_later_is_in_the_trend(tmp_path):
    artifacts = tmp_path / "artifacts"
    make_site(artifacts, samples=False)
    client = client_of(artifacts)
    client.get("/history")
    write_run(artifacts, 500, [target("ch09:late", 2.0)])
    assert "ch09" in client.get("/history").text


def test_what_was_never_measured_is_not_there(client):
    assert client.get("/history/trend", params={"target": "<script>"}).status_code == 404
    assert client.get("/history/trend").status_code == 404
    wrong = client.get("/history/trend", params={"target": "ch01:batched_gemm", "of": "<i>"})
    assert wrong.status_code == 400 and "&lt;i&gt;" in wrong.text


def test_an_index_that_is_a_link_is_not_followed(tmp_path):
    artifacts = tmp_path / "artifacts"
    make_site(artifacts, samples=False)
    (tmp_path / "other.db").write_bytes(b"")
    (artifacts / "history.db").symlink_to(tmp_path / "other.db")
    assert client_of(artifacts).get("/history").status_code == 400
    assert (tmp_path / "other.db").read_bytes() == b""
