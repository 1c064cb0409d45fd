"""The application: every view of the folder is served, nothing heavy is loaded, and a refusal is a page."""

import subprocess
import sys

from tests.report.page_reader import Page
from tests.web.conftest import client_of


def test_every_tab_is_served_and_marked(client):
    page = Page(client.get("/").text)
    tabs = [one for one in page.find("a") if one.attributes["href"] in TABS]
    assert {one.attributes["href"] for one in tabs} == TABS
    for address in TABS:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert f'href="{address}" aria-current="page"' in answer.text


TABS = {"/", "/live", "/loads", "/compare", "/history", "/calculators", "/artifacts"}


def test_a_page_that_is_not_there_says_so_and_shows_the_way(client):
    answer = client.get("/nothing")
    assert answer.status_code == 404 and "Back to the overview" in answer.text


def test_torch_is_never_loaded(site):
    code = """
import asyncio, sys
from pathlib import Path
import httpx
from perfproof.core.dashboard import Settings
from perfproof.web.server import application

async def ask():
    transport = httpx.ASGITransport(application(Settings(Path(sys.argv[1]))))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for path in ("/", "/compare", "/history", "/calculators/fit?sent=yes&model=gpt2&gpu=H200+SXM"):
            assert (await client.get(path)).status_code == 200, path

asyncio.run(ask())
sys.exit(bool({"torch", "triton", "matplotlib"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code, site[0]], check=False).returncode == 0


def test_a_folder_without_runs_is_served_and_left_as_it_is(tmp_path):
    client = client_of(tmp_path / "nothing")
    for address in TABS:
        assert client.get(address).status_code == 200, address
    assert "There are no runs yet" in client.get("/").text
    assert not (tmp_path / "nothing").exists()
