"""Large JSON in pieces: the same as json.load, whatever the size of a piece."""

import contextlib
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.profile.streamed_json import BrokenJson, StreamedJson


def scanned(text, piece=7):
    content = text if isinstance(text, bytes) else text.encode()
    return list(StreamedJson(io.BytesIO(content), "traceEvents", piece))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(
    st.lists(JSON, max_size=6),
    st.dictionaries(st.text(max_size=6), JSON, max_size=3),
    st.integers(1, 50),
    st.booleans(),
)
def test_members_and_elements_are_those_of_the_document(elements, others, piece, escaped):
    others.pop("traceEvents", None)
    found = scanned(json.dumps({**others, "traceEvents": elements}, ensure_ascii=escaped, indent=1), piece)
    assert [value for key, value in found if key == "traceEvents"] == elements
    assert {key: value for key, value in found if key != "traceEvents"} == others


def test_a_bare_array_is_read_too():
    assert scanned('[{"ph": "X"}, {"ph": "i"}]') == [("traceEvents", {"ph": "X"}), ("traceEvents", {"ph": "i"})]


def test_a_byte_order_mark_and_characters_across_pieces():
    assert scanned("\ufeff" + '{"a": "grüße 🚀", "b": 12345678901}', 1) == [("a", "grüße 🚀"), ("b", 12345678901)]


def test_control_characters_and_a_comma_too_many_are_taken():
    text = '{"traceEvents": [{"name": "tab\there\nand \x01"},,]}'
    assert scanned(text) == [("traceEvents", {"name": "tab\there\nand \x01"})]


def test_bytes_that_are_no_text_are_replaced():
    assert scanned(b'{"a": "\xff\xfe"}') == [("a", "��")]


@pytest.mark.parametrize(
    "bad", ['{"ph": "X", "name": "\\q"}', '{"ph": "X", name}', '{"ph" "X"}', '{"ph": ' + "9" * 5000 + "}"]
)
@pytest.mark.parametrize("piece", [5, 10_000])
def test_a_broken_element_is_left_out_and_counted(bad, piece):
    text = '{"traceEvents": [{"ph": "a"}, ' + bad + ', {"ph": "b"}], "last": 1}'
    stream = StreamedJson(io.BytesIO(text.encode()), "traceEvents", piece)
    assert list(stream) == [("traceEvents", {"ph": "a"}), ("traceEvents", {"ph": "b"}), ("last", 1)]
    assert stream.left_out == 1


@pytest.mark.parametrize("text", ['{"a": 1} {"b": 2}', "[1] x", '{"traceEvents": [{"ph": "a"}]}]}'])
def test_what_goes_on_after_its_end_is_refused(text):
    with pytest.raises(BrokenJson, match="goes on after its end"):
        scanned(text)


def test_a_broken_element_never_hides_the_rest_of_the_file():
    bad = '{"ph": "X", "bad" 1, "args": {"x": [{"name": 1}, {"name": 2}]}}'
    with pytest.raises(BrokenJson, match="goes on after its end"):
        scanned('{"traceEvents": [' + bad + ', {"ph": "b"}]}', 10_000)


WHOLE = '{"a": 1, "traceEvents": [{"ph": "X", "dur": 12}]}'


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_a_document_cut_anywhere_is_refused(length):
    assert len(scanned(WHOLE)) == 2
    with pytest.raises(BrokenJson, match="is cut off"):
        scanned(WHOLE[:length])


@pytest.mark.parametrize(
    "text", ["", "   ", "hello", "{1: 2}", '{"a" 1}', '{"a": }', "[" * 100_000, '{"a": ' + "[" * 100_000]
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(BrokenJson):
        scanned(text, 4096)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]",:phX019\\ \nu', max_size=60), st.integers(1, 20))
def test_no_text_crashes_the_scanner(text, piece):
    for content in (text, '{"traceEvents": [' + text):
        with contextlib.suppress(BrokenJson):
            scanned(content, piece)
