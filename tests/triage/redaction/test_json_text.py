"""Rewriting a stretch at one go gives what rewriting token by token gives, wherever the pieces are cut."""

import json
import re

import pytest

from perfproof.triage.redaction import Redactor, json_text
from perfproof.triage.redaction.json_text import JsonRewriter

KEY = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"
EVENTS = [
    {
        "name": f"aten::add_{at % 7}",
        "ts": at * 1.5,
        "args": {"path": f"/home/annabel/{at % 3}.py", "Input Dims": [[8], []]},
    }
    for at in range(300)
]
DOCUMENT = {
    "traceEvents": EVENTS,
    "env": {"HF_TOKEN": KEY, "RANK": "0", "SHELL": "/bin/zsh"},
    "argv": ["serve", "--token", "open sesame", "x"],
    "calls": [["sshpass", "-p", "sesame-77", "ssh"], ["mysql", "-psesame-88"], ["ssh", "-p", "22"]],
    "serial": 1321021036045,
    "hostname": "trainer07",
    "source": f"import torch\n@torch.compile\n# {KEY} on trainer07",
    "hosts": ["rack-b9", "rack-b10"],
    "more": EVENTS[:50],
}


def rewritten(text, size, known=("trainer07",)):
    redactor = Redactor(b"key", hosts=known)
    rewriter = JsonRewriter(redactor)
    done = "".join(rewriter.feed(text[at : at + size]) for at in range(0, len(text), size)) + rewriter.close()
    return done, redactor.counts


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("size", [13, 4000, 1 << 20])
def test_at_one_go_and_token_by_token_are_the_same(size, indent, monkeypatch):
    text = json.dumps(DOCUMENT, indent=indent)
    at_one_go = rewritten(text, size)
    monkeypatch.setattr(json_text, "WHOLE", re.compile(""))
    assert at_one_go == rewritten(text, 1 << 20)


def test_what_is_private_is_gone_and_the_rest_is_as_it_was():
    done = json.loads(rewritten(json.dumps(DOCUMENT), 1 << 20)[0])
    assert not [
        one for one in (KEY, "annabel", "sesame", "trainer07", "rack-b", "zsh", "1321021036045") if one in str(done)
    ]
    assert [event["ts"] for event in done["traceEvents"]] == [event["ts"] for event in EVENTS]
    assert done["calls"][2] == ["ssh", "-p", "22"]
    assert done["env"]["RANK"] == "0" and "\n@torch.compile\n" in done["source"]


def test_what_a_tool_said_instead_of_json_is_redacted_too():
    done, counts = rewritten("ssh: connect to 10.1.2.3 failed, trainer07 says no", 7)
    assert "10.1.2.3" not in done and "trainer07" not in done and counts["address"] == 1
