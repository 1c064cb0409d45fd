"""A pasted line keeps its spelling, and its options are told from its program."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.command_words import made, plain, read

SWITCHES, KNOWN = {"--csv", "-f"}, {"--metrics", "-o", "--output", "-t"}


def parts(line):
    command = read(line, SWITCHES, KNOWN)
    return [(option.name, option.value) for option in command.options], command.program


@pytest.mark.parametrize(
    ("line", "options", "program"),
    [
        ("ncu --csv python a.py", [("--csv", None)], ["python", "a.py"]),
        ("ncu --metrics a,b python a.py", [("--metrics", "a,b")], ["python", "a.py"]),
        ("ncu --metrics=a,b ./a.out -x", [("--metrics", "a,b")], ["./a.out", "-x"]),
        ("ncu -oreport -- ./a.out", [("-o", "report")], ["--", "./a.out"]),
        ("ncu --new-thing 5 python a.py", [("--new-thing", "5")], ["python", "a.py"]),
        ("ncu --new-switch python a.py", [("--new-switch", None)], ["python", "a.py"]),
        ("ncu --new-switch a.py", [("--new-switch", None)], ["a.py"]),
        ('nsys profile -o "my report" python', [("-o", "my report")], ["python"]),
        ("nsys profile -o", [("-o", None)], []),
    ],
)
def test_options_end_where_the_program_begins(line, options, program):
    assert parts(line) == (options, program)


def test_what_stands_before_the_profiler_is_kept():
    command = read("LC_ALL=C sudo /opt/bin/nsys profile -t cuda python", SWITCHES, KNOWN)
    assert command.before == ["LC_ALL=C", "sudo"]
    assert (command.tool, command.spelt, command.verb) == ("nsys", "/opt/bin/nsys", "profile")


@pytest.mark.parametrize(
    "line", ["ncu -o $OUT/r python a.py", 'ncu --metrics "$M" ./a "x  y" && echo done', "perf record -p $(pgrep x)"]
)
def test_variables_quotes_and_operators_survive(line):
    assert read(line, SWITCHES, KNOWN).line() == line


def test_a_new_value_is_quoted_if_it_must_be():
    assert made("-k", "regex:^a|b").text == "-k 'regex:^a|b'"
    assert made("--trace", "cuda,nvtx").text == "--trace=cuda,nvtx"
    assert made("--csv").text == "--csv"


def test_a_word_that_cannot_be_read_stays_as_it_is():
    assert plain('"open') == '"open' and plain("'a b'") == "a b"


@given(st.text(alphabet="ncu sy-=\"'\\$ \t\n|a", max_size=40))
def test_reading_what_was_written_gives_the_same_line(text):
    line = read(text, SWITCHES, KNOWN).line()
    assert read(line, SWITCHES, KNOWN).line() == line
