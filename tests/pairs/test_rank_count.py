"""`--set ranks=4`: which numbers are taken, and which pairs can have another one."""

import pytest

from perfproof.core.errors import UsageError
from perfproof.pairs.contract import read_pair
from perfproof.pairs.rank_count import with_ranks, without_ranks
from perfproof.pairs.sizes import parse_sizes
from tests.bench.ranks.ranked_pair import RANKED


@pytest.fixture
def ranked(tmp_path):
    def write(text=RANKED):
        (tmp_path / "ranked.py").write_text(text)
        return read_pair(tmp_path / "ranked.py", "ranked", "tests")

    return write


def test_the_number_is_kept_apart_from_the_sizes_that_inputs_takes(ranked):
    pair = ranked()
    sizes = parse_sizes(["ranks=4", "n=9"], [pair])["ranked"]
    assert sizes == {"ranks": 4, "n": 9}
    assert with_ranks(pair, sizes).ranks == 4 and with_ranks(pair, {"n": 9}) is pair
    assert without_ranks(pair, sizes) == {"n": 9}


@pytest.mark.parametrize("value", ["1", "0", "-2", "two", "2.5", "129"])
def test_what_is_no_number_of_ranks_is_refused(ranked, value):
    with pytest.raises(UsageError, match="from 2 to 128"):
        parse_sizes([f"ranks={value}"], [ranked()])


def test_a_pair_in_one_process_has_none(ranked):
    with pytest.raises(UsageError, match="one process"):
        parse_sizes(["ranks=4"], [ranked(RANKED.replace("ranks = 2\n", ""))])


@pytest.mark.parametrize("line", ["SHARD = 64 // ranks", "def helper(n=ranks):\n    return n", "ALL = [ranks * 2]"])
def test_a_file_that_reads_the_number_on_import_is_refused_by_its_line(ranked, line):
    pair = ranked(RANKED.replace("ranks = 2\n", f"ranks = 2\n{line}\n"))
    with pytest.raises(UsageError, match=r"ranked\.py:\d+.*import"):
        parse_sizes(["ranks=4"], [pair])
    assert parse_sizes(["ranks=2"], [pair])["ranked"] == {"ranks": 2}, "its own number is fine"


def test_a_file_that_reads_it_inside_a_function_is_taken(ranked):
    pair = ranked(RANKED.replace("ranks = 2\n", "ranks = 2\n\n\ndef shard(n):\n    return n // ranks\n"))
    assert parse_sizes(["ranks=4"], [pair])["ranked"] == {"ranks": 4}
