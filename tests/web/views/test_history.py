"""Targets over time."""

from ...report.page_reader import Page
from ..conftest import client_of
from ..sample_site import STEP, make_site, name_of


def test_every_series_is_listed_and_leads_to_its_trend(client):
    page = Page(client.get("/history").text)
    links = [one.attributes["href"] for one in page.find("a") if "/history/trend" in one.attributes["href"]]
    assert any("ch01%3Abatched_gemm" in link for link in links)
    for link in links:
        assert client.get(link).status_code == 200, link


def test_a_step_is_drawn_and_named_with_its_run(client):
    page = Page(client.get("/history/trend", params={"target": "ch01:batched_gemm"}).text)
    assert page.find("svg", role="img") and "step, worse" in page.text
    changed = next(one for one in page.find("table") if "changed with it" in one.text)
    assert name_of(STEP, "nightly") in changed.text
    assert client.get("/history/trend", params={"target": "ch01:batched_gemm", "of": "time"}).status_code == 200


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
