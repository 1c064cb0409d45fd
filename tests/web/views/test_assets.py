"""One style sheet, one small script."""


def test_the_script_is_small_and_writes_words_only(client):
    script = client.get("/assets/live.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert len(script.text.splitlines()) < 150
    for word in ("innerHTML", "eval", "document.write", "insertAdjacentHTML", "http"):
        assert word not in script.text


def test_the_style_loads_nothing(client):
    style = client.get("/assets/dashboard.css").text
    assert ".form" in style and ".target" in style
    assert "url(" not in style and "@import" not in style
