"""Metrics that a program reports: the syntax, what real output gives, and what is refused."""

import json

import pytest

from perfproof.bench.programs.metrics import MetricMissing, parse_metric
from perfproof.core.errors import UsageError

TRAINING = """\
step 10 loss 2.3103 tokens/s 1840.2
step 20 loss 1.9871 tokens/s 1911.7
done in 3.2 s
"""


def read(spec, tmp_path, text="", before=None):
    stdout = tmp_path / "stdout"
    stdout.write_text(text)
    return parse_metric(spec).read(stdout, tmp_path, before)


def test_the_last_match_of_a_pattern_counts(tmp_path):
    assert read(r"tps:higher=regex:tokens/s ([0-9.]+)", tmp_path, TRAINING) == 1911.7
    assert read(r"loss:lower=regex:^step \d+ loss ([0-9.]+)", tmp_path, TRAINING) == 1.9871


def test_standard_output_may_be_json_or_end_with_an_object(tmp_path):
    assert read("tps:higher=json:stats.tps", tmp_path, '{"stats": {"tps": 12.5}}') == 12.5
    assert read("p99:lower=json:p.1", tmp_path, 'starting\n{"p": [1, 2]}\n{"p": [3, 4]}\nbye\n') == 4


@pytest.mark.parametrize(
    ("spec", "text", "masked"),
    [
        (r"loss:lower=regex:loss ([0-9.]+)", TRAINING, TRAINING.replace("2.3103", "-").replace("1.9871", "-")),
        ("tps:higher=json:stats.tps", 'up\n{"stats": {"tps": 12.5}, "n": 3}\n', 'up\n{"stats": {"tps": -}, "n": 3}\n'),
        ("tps:higher=json:stats.tps", "no object", "no object"),
        ("tps:higher=json:out.json:stats.tps", TRAINING, TRAINING),
    ],
)
def test_the_numbers_of_a_metric_are_left_out_of_what_is_compared_as_text(spec, text, masked):
    assert parse_metric(spec).masked(text) == masked


def test_a_file_is_read_where_this_run_wrote_it(tmp_path):
    metric = parse_metric("tps:higher=json:out.json:stats.tps")
    file, stdout = tmp_path / "out.json", tmp_path / "stdout"
    before = metric.mark(tmp_path)
    file.write_text(json.dumps({"stats": {"tps": 7}}))
    assert metric.read(stdout, tmp_path, before) == 7
    with pytest.raises(MetricMissing, match=r"did not write out\.json"):
        metric.read(stdout, tmp_path, metric.mark(tmp_path))


@pytest.mark.parametrize(
    ("spec", "text", "why"),
    [
        (r"x:higher=regex:speed (\d+)", "nothing here", "nothing in standard output matches"),
        (r"x:higher=regex:speed (\w+)", "speed fast", "no positive number"),
        ("x:higher=json:a.b", '{"a": {}}', "the JSON has no 'a.b'"),
        ("x:higher=json:a.b", '{"a": 3}', "the JSON has no 'a.b'"),
        ("x:higher=json:a.2", '{"a": [1]}', "the JSON has no"),
        ("x:higher=json:a", "plain text", "is not JSON"),
        ("x:higher=json:a", "{broken\n", "is not JSON"),
        ("x:lower=json:a", '{"a": 0}', "no positive number"),
        ("x:lower=json:a", '{"a": -2}', "no positive number"),
        ("x:lower=json:a", '{"a": true}', "no positive number"),
        ("x:lower=json:a", '{"a": NaN}', "no positive number"),
        ("x:lower=json:gone.json:a", "", "did not write gone.json"),
    ],
)
def test_what_is_not_there_is_missing_never_zero(tmp_path, spec, text, why):
    with pytest.raises(MetricMissing, match=why):
        read(spec, tmp_path, text)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("tps=regex:x", "is not understood"),
        ("tps:better=regex:(x)", "is not understood"),
        ("tps:higher=x (y)", "is not understood"),
        ("tps:higher=regex:no group", "0 groups"),
        ("tps:higher=regex:(a)(b)", "2 groups"),
        ("tps:higher=regex:(a", "no regular expression"),
        ("wall:lower=regex:(a)", "is measured anyway"),
        ("tps:higher=json:out.json:", "names no key"),
    ],
)
def test_a_spec_that_is_not_understood_is_refused(spec, why):
    with pytest.raises(UsageError, match=why):
        parse_metric(spec)
