"""Files of the runs, and no others."""

import pytest

from tests.report.page_reader import Page
from tests.report.sample_runs import run, target
from tests.web.conftest import client_of
from tests.web.sample_site import name_of, save

NAME = name_of(1, "x")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    artifacts = tmp_path / "artifacts"
    save(artifacts, run(target()), NAME)
    place = artifacts / NAME
    (place / "logs").mkdir()
    (place / "logs" / "a b&<c>.log").write_text("log")
    (place / "report.html").write_text("<script>alert(1)</script>")
    (place / "data.bin").write_bytes(bytes(range(256)))
    (place / "link.txt").symlink_to(tmp_path / "secret.txt")
    (place / "away").symlink_to(tmp_path)
    (artifacts / "notes.txt").write_text("not of a run")
    return artifacts


def test_files_are_listed_and_every_one_can_be_opened(folder):
    client = client_of(folder)
    page = Page(client.get(f"/artifacts/{NAME}/").text)
    links = [one.attributes["href"] for one in page.find("a") if f"/artifacts/{NAME}/" in one.attributes["href"]]
    assert len(links) == 4 and "link.txt" not in page.text and "away" not in page.text
    for link in links:
        assert client.get(link).status_code == 200, link
    assert NAME in client.get("/artifacts").text
    assert client.get(f"/artifacts/{NAME}").headers["location"] == f"/artifacts/{NAME}/"


@pytest.mark.parametrize(
    "path",
    [
        "link.txt",
        "away/secret.txt",
        "away",
        "logs",
        "..%2fnotes.txt",
        "%2e%2e/notes.txt",
        "../../secret.txt",
        "%2e%2e/%2e%2e/secret.txt",
        "..%5c..%5csecret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "logs/../../notes.txt",
        "run.json%00.txt",
        "....//....//secret.txt",
    ],
)
def test_no_path_leads_outside(folder, path):
    for start in (f"/artifacts/{NAME}/", "/artifacts/", "/artifacts/..%2f"):
        status, text = client_of(folder).raw(start + path)
        assert status in (303, 404), text
        assert "secret" not in text.replace("secret.txt", "") and "root:" not in text


def test_a_stored_page_is_shown_without_its_script_and_unknown_kinds_are_handed_over(folder):
    client = client_of(folder)
    page = client.get(f"/artifacts/{NAME}/report.html")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert policy.startswith("sandbox;") and "script-src" not in policy and "default-src 'none'" in policy
    data = client.get(f"/artifacts/{NAME}/data.bin")
    assert data.content == bytes(range(256)) and data.headers["content-disposition"].startswith("attachment")
    log = client.get(f"/artifacts/{NAME}/logs/a%20b%26%3Cc%3E.log")
    assert log.text == "log" and log.headers["content-type"].startswith("text/plain")


def test_a_run_that_is_none_is_not_there(folder):
    assert client_of(folder).get(f"/artifacts/{name_of(9, 'x')}/").status_code == 404
    assert client_of(folder).get("/artifacts/notes.txt/").status_code == 404
