"""The one convention for output: --json, --format, and -o FILE with the format by its suffix."""

import pytest

from perfproof.cli.output import choose_format, written_to
from perfproof.core.errors import UsageError

KNOWN = ("table", "md", "json")


@pytest.mark.parametrize(
    ("format", "json", "output", "chosen"),
    [
        (None, False, None, "table"),
        (None, False, "-", "table"),
        (None, False, "x.MD", "md"),
        (None, False, "x.txt", "table"),
        ("md", False, "x.json", "md"),
        ("md", True, None, "json"),
        (None, True, "x.md", "json"),
    ],
)
def test_what_is_said_most_plainly_counts(format, json, output, chosen):
    assert choose_format(format, json, output, KNOWN) == chosen


@pytest.mark.parametrize(("format", "output"), [("pdf", None), (None, "x.pdf"), (None, "x.csv"), (None, "x")])
def test_an_unknown_format_is_refused_with_those_there_are(format, output):
    with pytest.raises(UsageError, match="md"):
        choose_format(format, False, output, KNOWN)


def test_what_is_printed_goes_into_the_file_and_its_name_is_printed(tmp_path, capsys):
    with written_to(str(tmp_path / "x.md")):
        print("a table")
    assert (tmp_path / "x.md").read_text() == "a table\n"
    assert capsys.readouterr().out == f"{tmp_path / 'x.md'}\n"


def test_an_error_leaves_the_old_file_as_it_was(tmp_path, capsys):
    (tmp_path / "x.md").write_text("old")
    with pytest.raises(ValueError, match="half"), written_to(str(tmp_path / "x.md")):
        print("half")
        raise ValueError("half")
    assert (tmp_path / "x.md").read_text() == "old" and capsys.readouterr().out == ""
