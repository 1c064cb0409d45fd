"""Arrivals, traces, profiles and prompts: drawn as declared, salted, and refused with a reason if broken."""

import json

import numpy
import pytest

from perfproof.core.errors import DocumentError, UsageError
from perfproof.load.arrivals import draw_times, parse_arrivals
from perfproof.load.http_client import parse_address
from perfproof.load.profile import fixed, load_profile, names
from perfproof.load.prompts import Texts
from perfproof.load.traces import read_trace, scaled
from perfproof.load.workload import Service, Workload

SERVICE = Service(parse_address("h:1"), "m")


@pytest.mark.parametrize(
    ("kind", "rate", "mean", "cv"),
    [
        ("constant", "10", 10, 0),
        ("poisson", "10", 10, 1),
        ("gamma:cv=2", "10", 10, 2),
        ("gamma:cv=0.5", "10", 10, 0.5),
        ("ramp:to=30", "10", 20, None),
        ("steps", "5,10,30", 15, None),
        ("bursts:on=1,off=4", "10", 10, None),
    ],
)
def test_arrivals_have_the_rate_and_the_spread_that_they_name(kind, rate, mean, cv):
    times = draw_times(parse_arrivals(kind, rate), 1000, 3)
    assert len(times) / 1000 == pytest.approx(mean, rel=0.08) and (numpy.diff(times) >= 0).all()
    assert times.min() >= 0 and times.max() < 1000
    if cv is not None:
        gaps = numpy.diff(times)
        assert gaps.std() / gaps.mean() == pytest.approx(cv, abs=0.12)


def test_bursts_are_silent_between_and_ramps_rise():
    times = draw_times(parse_arrivals("bursts:on=1,off=4", "10"), 500, 3)
    assert (times % 5 < 1).all()
    rising = draw_times(parse_arrivals("ramp:to=90", "10"), 1000, 3)
    assert (rising > 500).sum() / len(rising) == pytest.approx(0.7, abs=0.02)


@pytest.mark.parametrize(
    ("kind", "rate"),
    [("sine", "1"), ("poisson", "0"), ("poisson", "1,2"), ("ramp", "1"), ("gamma:on=1", "1"), ("poisson", "x")],
)
def test_arrivals_that_make_no_sense_are_refused(kind, rate):
    with pytest.raises(UsageError, match="--"):
        parse_arrivals(kind, rate)


MOONCAKE = '{"timestamp": 27482, "input_length": 1100, "output_length": 52, "hash_ids": [46, 47]}\n'
AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n"
)


@pytest.mark.parametrize(
    ("text", "count", "last", "prompt"),
    [
        (MOONCAKE + MOONCAKE.replace("27482", "30482"), 2, 3.0, 1100),
        (AZURE, 2, 0.052, 4808),
        (AZURE.replace(",4808", "+00:00,4808").replace(",3180", "Z,3180"), 2, 0.052, 4808),
        (AZURE.replace("03.9799600,", "03-02:00,").replace("18:17:04.0319600", "20:17:04Z"), 2, 1.0, 4808),
        ("at,prompt_tokens,output_tokens\n5,10,3\n4,20,4\n", 2, 1.0, 20),
        (
            '{"perfproof": "1"}\n{"index":0,"intended":5000000,"prompt_tokens":9,"output_tokens":3,"outcome":"ok"}\n',
            1,
            0,
            9,
        ),
    ],
)
def test_traces_of_every_kind_begin_at_zero_and_keep_their_gaps(tmp_path, text, count, last, prompt):
    path = tmp_path / "trace"
    path.write_text(text)
    found, wrong = read_trace(path)
    assert len(found) == count and found[0].at == 0 and found[-1].at == pytest.approx(last) and not wrong
    assert found[0].prompt == prompt
    assert scaled(found, 2.0)[-1].at == pytest.approx(last / 2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "a,b\n1,2\n",
        "at,prompt_tokens,output_tokens\n1,2\n",
        AZURE + "x,y,z\n",
        '{"timestamp": "now", "input_length": 3}\n',
    ],
)
def test_a_file_that_is_no_trace_is_refused_with_a_reason(tmp_path, text):
    path = tmp_path / "trace"
    path.write_text(text)
    with pytest.raises(DocumentError, match="trace"):
        read_trace(path)


def body(planned):
    return json.loads(planned.request.partition(b"\r\n\r\n")[2])


@pytest.mark.parametrize("name", names())
def test_every_shipped_profile_draws_lengths_within_its_bounds(name):
    profile = load_profile(name)
    plans = list(Workload(SERVICE, profile, "s", 1).arriving(range(200)))
    assert profile.about and all(profile.output.low <= one.asked_output <= profile.output.high for one in plans)
    assert len({plan.request for plan in plans}) == 200


def test_texts_of_as_many_words_have_about_as_many_characters():
    lengths = [len(Texts(salt).words(place, 40)) for salt in ("a", "b", "c") for place in range(0, 4000, 400)]
    assert max(lengths) - min(lengths) < 25  # of about 250; of words drawn without this, about 60


def test_no_two_prompts_begin_alike_and_another_salt_changes_all_of_them():
    first = [
        body(one)["messages"][0]["content"] for one in Workload(SERVICE, fixed(50, 5), "s", 1).arriving(range(100))
    ]
    other = [
        body(one)["messages"][0]["content"] for one in Workload(SERVICE, fixed(50, 5), "t", 1).arriving(range(100))
    ]
    assert len({text.split()[0] for text in first + other}) == 200
    assert all(len(text.split()) == 50 for text in first)


def test_only_what_a_profile_declares_is_shared_and_it_is_counted():
    plans = list(Workload(SERVICE, load_profile("agent"), "s", 1).arriving(range(20)))
    beginnings = {body(one)["messages"][0]["content"] for one in plans}
    assert len(beginnings) == 1 and [one.shared for one in plans] == [0] + [1500] * 19
    second = plans[0].follow("an answer")
    assert second.turn == 1 and second.shared == plans[0].asked_prompt + plans[0].asked_output
    assert body(second)["messages"][:2] == body(plans[0])["messages"]


def test_blocks_of_a_trace_are_shared_as_far_as_all_before_them_are(tmp_path):
    path = tmp_path / "trace"
    ids = ([1, 2], [1, 2], [1, 3], [9, 2])
    path.write_text(
        "".join(MOONCAKE.replace("27482", str(n)).replace("[46, 47]", str(one)) for n, one in enumerate(ids))
    )
    plans = list(Workload(SERVICE, fixed(1, 1), "s", 1).replaying(read_trace(path)[0]))
    assert [one.shared for one in plans] == [0, 1024, 512, 0]


def test_text_of_any_length_has_as_many_words_as_tokens_ask_for():
    texts = Texts("s", tokens_per_word=1.5)
    assert len(texts.unique("x", 150).split()) == 100 and len(texts.words(5, 150_000).split()) == 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "prompt: 5",
        "prompt: -1\noutput: 5",
        "prompt: {low: 5}\noutput: 5",
        "prompt: 5\noutput: 5\nx: 1",
        "{",
        "prompt: 5\nprompt: 50\noutput: 5",
        "prompt: {median: 5, spread: 2, least: 50}\noutput: 5",
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(tmp_path, text):
    path = tmp_path / "own.yaml"
    path.write_text(text)
    with pytest.raises(UsageError):
        load_profile(str(path))
