"""The index of many runs: every run is linked, nothing is loaded, nothing becomes markup."""

import re

from perfproof.report import index_page
from tests.report.page_reader import Page
from tests.report.sample_runs import everything, run, target

ATTACK = "</script><script>alert(1)</script>"


def test_every_run_is_linked_and_every_verdict_is_there():
    page = Page(index_page.render([everything()]))
    assert {one.attributes["href"] for one in page.find("a")} >= {"20250101T000000Z-tour-abc123.html"}
    for word in ("faster", "slower", "same", "crashed", "skipped", "unstable"):
        assert word in page.text


def test_nothing_is_loaded_and_names_are_words():
    text = index_page.render([run(target(ATTACK), machine={"kind": ATTACK})])
    page = Page(text)
    assert len(page.find("script")) == 1 and "alert(1)" in page.text
    assert "://" not in text and "url(" not in text and not re.search(r"<(img|link|iframe)", text)
