"""A run: the report's page, with the way back, from its folder alone."""

from perfproof.report.formats import html
from tests.report.page_reader import Page
from tests.report.sample_runs import run, target
from tests.web.conftest import client_of
from tests.web.sample_site import name_of, save


def test_it_is_the_reports_page_with_its_figures_and_its_policy(client, site):
    answer = client.get(f"/runs/{site[1]['a']}")
    page = Page(answer.text)
    assert len(page.find("figure")) >= 4
    own = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    assert answer.headers["content-security-policy"] == f"{own}; frame-ancestors 'none'"
    assert own == html.policy(page.one("style").text, page.one("script").text)
    links = [one.attributes["href"] for one in page.find("a")]
    assert "/" in links and f"/artifacts/{site[1]['a']}/" in links


def test_the_pairs_file_outside_the_folder_is_not_opened(tmp_path, monkeypatch):
    from perfproof.report.html import target as html_target

    monkeypatch.setattr(html_target, "source_diff", lambda *_: 1 / 0)
    name = save(tmp_path, run(target(path="/etc/passwd")), name_of(1, "x"))
    answer = client_of(tmp_path).get(f"/runs/{name}")
    assert answer.status_code == 200 and "reads the run's folder only" in Page(answer.text).text


def test_samples_behind_a_link_or_outside_are_not_read(tmp_path):
    (tmp_path / "outside.jsonl.gz").write_bytes(b"secret")
    name = save(tmp_path / "artifacts", run(target(samples="../../outside.jsonl.gz")), name_of(1, "x"))
    linked = save(tmp_path / "artifacts", run(target(samples="samples.gz")), name_of(2, "x"))
    (tmp_path / "artifacts" / linked / "samples.gz").symlink_to(tmp_path / "outside.jsonl.gz")
    client = client_of(tmp_path / "artifacts")
    for one in (name, linked):
        assert "outside the run's folder" in Page(client.get(f"/runs/{one}").text).text


def test_a_name_that_is_none_is_not_there(client):
    for name in ("nothing", "..", "%2e%2e", name_of(31, "x"), "..%2f..%2fetc"):
        assert client.raw(f"/runs/{name}")[0] == 404
