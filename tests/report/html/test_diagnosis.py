"""The fragment is well formed and escaped; the page loads nothing."""

import re
from html.parser import HTMLParser

from perfproof.report.html.diagnosis import page, render
from perfproof.report.html.figures import Figure
from perfproof.report.html.profile import Fragment
from tests.report.sample_diagnosis import sample

VOID = {"meta"}


class Balanced(HTMLParser):
    """Every element is closed in its order."""

    def __init__(self):
        super().__init__()
        self.open, self.words = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def parsed(text):
    reader = Balanced()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return " ".join(reader.words)


def test_the_fragment_says_everything_in_closed_elements():
    words = parsed(render(sample()))
    for part in (
        "up to 35 % of the step",
        "share unknown",
        "perfproof ab --a",
        "a GPU: gpu_idle, host_sync",
        "straggler",
    ):
        assert part in words
    assert "35 % of the step in <loader> & | co_" in words and "<loader>" not in render(sample())


def test_pictures_stand_under_the_findings_and_are_escaped():
    text = page(sample(), [Fragment("step1", "One step: <b>", Figure("<svg></svg>", "the caption"))])
    words = parsed(text)
    assert words.index("What holds it back") < words.index("One step: <b>") < words.index("the caption")
    assert "<svg></svg>" in text and "--compute:" in text


def test_without_findings_it_says_so():
    assert "no bottleneck found" in parsed(render(sample(findings=[])))


def test_the_page_loads_nothing_and_runs_nothing():
    text = page(sample())
    parsed(text)
    assert "default-src &#39;none&#39;" in text and "&#39;sha256-" in text
    assert not re.search(r"<script|<link|src=|url\(|http", text.replace("http-equiv", ""))
