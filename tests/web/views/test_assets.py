"""One style sheet, two small scripts."""

import pytest


@pytest.mark.parametrize("name", ["live.js", "keys.js"])
def test_the_scripts_are_small_and_write_words_only(client, name):
    script = client.get(f"/assets/{name}")
    assert script.headers["content-type"].startswith("text/javascript")
    assert len(script.text.splitlines()) < 150
    for word in ("innerHTML", "eval", "document.write", "insertAdjacentHTML", "http"):
        assert word not in script.text


def test_the_style_loads_nothing(client):
    style = client.get("/assets/dashboard.css").text
    assert ".form" in style and ".target" in style
    assert "url(" not in style and "@import" not in style
