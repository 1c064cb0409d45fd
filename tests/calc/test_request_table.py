"""Requests of a load test in three forms, and broken ones."""

import pytest

from perfproof.calc.request_table import Request, parse
from perfproof.core.errors import DocumentError

EXPECTED = [Request(0.25, 0.02, None, 100.0), Request(0.5, None, None, None, ok=False)]


@pytest.mark.parametrize(
    "text",
    [
        "ttft_ms,tpot,output_tokens,ok\n250,0.02,100,true\n500,,,false\n",
        '[{"ttft_s": 0.25, "tpot_ms": 20, "output_tokens": 100}, {"ttft": 0.5, "ok": false}]',
        '{"ttft_s": 0.25, "tpot_ms": 20, "output_tokens": 100}\n{"ttft": 0.5, "success": 0}\n',
    ],
)
def test_csv_json_and_json_lines_are_the_same(text):
    assert parse(text, "requests") == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no requests"),
        ("a,b\n1,2\n", "no column ttft"),
        ("ttft\nsoon\n", "row 1: 'soon' is no number"),
        ("ttft\n-1\n", "no time"),
        ("ttft\ninf\n", "no time"),
        ("[3]", "row 1"),
        ("[{", "no JSON"),
        ('{"ttft": 1}\n{', "no JSON"),
    ],
)
def test_broken_tables_are_refused(text, message):
    with pytest.raises(DocumentError, match=message):
        parse(text, "requests")
