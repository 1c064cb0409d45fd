"""What people write for times, shares and seeds."""

import pytest

from perfproof.cli import values
from perfproof.core.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1.5s", 1.5), ("3m", 180), ("2h", 7200), ("7d", 604800), ("2m30s", 150), ("1h2m", 3720)],
)
def test_times_have_units(text, seconds):
    assert values.parse_duration(text, "--budget") == seconds


@pytest.mark.parametrize("text", ["", "soon", "3 minutes", "-1", "1e3", "nan", "2m30", "s30", "1h 2m"])
def test_what_is_no_time_is_refused_with_examples(text):
    with pytest.raises(UsageError, match=r"--budget.*write 90"):
        values.parse_duration(text, "--budget")


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(UsageError, match="leaves no time"):
        values.parse_positive_duration("0", "--budget")


@pytest.mark.parametrize(("text", "share"), [("1%", 0.01), ("0.01", 0.01), (" 0.5 % ", 0.005)])
def test_shares_are_per_cent_or_plain(text, share):
    assert values.parse_share(text, "--delta") == pytest.approx(share)


@pytest.mark.parametrize("text", ["one", "0", "100%", "-1%", "nan", "1"])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(UsageError, match=r"--delta.*write 1% or 0\.01"):
        values.parse_share(text, "--delta")


def test_seeds_efforts_and_threads_are_checked():
    assert values.parse_seed("00FF") == "00ff"
    assert values.parse_effort("final") == "final"
    assert values.parse_threads(2) == 2
    for parse, wrong in ((values.parse_seed, "xyz"), (values.parse_effort, "best"), (values.parse_threads, 0)):
        with pytest.raises(UsageError):
            parse(wrong)


def test_run_folders_are_kept_in_a_folder_that_is_or_is_not_there_yet(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path)
    for place in (tmp_path, tmp_path / "link", tmp_path / "later"):
        assert values.parse_artifacts_dir(str(place)) == str(place)
    with pytest.raises(UsageError, match=r"--artifacts-dir .*file: is no folder"):
        values.parse_artifacts_dir(str(tmp_path / "file"))
