"""What is only listed comes from a cache while the files are as they were."""

import os

import pytest

from perfproof.pairs import catalogue
from perfproof.pairs.catalogue import Entry
from perfproof.pairs.listing import read_listed


@pytest.fixture
def entry(tmp_path, monkeypatch, valid):
    monkeypatch.setenv("PERFPROOF_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "pair.py"
    path.write_text(valid)
    return Entry(path, "ch01:pair", "ch01", "ch01_goodput")


@pytest.fixture
def readings(monkeypatch):
    found, read = [], catalogue.read_pair
    monkeypatch.setattr(catalogue, "read_pair", lambda path, *rest: found.append(path) or read(path, *rest))
    return found


def test_a_second_listing_reads_no_file_anew(entry, readings):
    first, second = read_listed([entry]), read_listed([entry])
    assert first == second == [entry.read()]
    assert len(readings) == 2, "the first listing, and the comparison"


def test_a_file_that_changed_is_read_anew(entry, readings):
    (before,) = read_listed([entry])
    entry.path.write_text(entry.path.read_text().replace('tier = "', 'tour = True\ntier = "'))
    (after,) = read_listed([entry])
    assert (before.tour, after.tour) == (False, True)


def test_a_file_that_no_longer_is_a_pair_is_broken_and_not_kept(entry, readings):
    read_listed([entry])
    entry.path.write_text("nothing = 1\n")
    assert [one.error for one in read_listed([entry])] and len(readings) == 2


@pytest.mark.parametrize("damage", [b"", b"\x80\x04K\x01.", b"garbage"])
def test_a_damaged_cache_is_made_again(entry, readings, tmp_path, damage):
    read_listed([entry])
    (tmp_path / "cache" / "pairs.pickle").write_bytes(damage)
    assert read_listed([entry]) == read_listed([entry]) and len(readings) == 2


def test_a_cache_that_cannot_be_written_does_no_harm(entry, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert read_listed([entry]) == [entry.read()]


def test_a_file_of_the_user_s_own_is_always_read(entry, readings):
    own = Entry(entry.path, "mine", "mine", "mine", own=True)
    read_listed([own])
    read_listed([own])
    assert len(readings) == 2


def test_what_is_gone_leaves_the_cache(entry, tmp_path):
    read_listed([entry])
    size = (tmp_path / "cache" / "pairs.pickle").stat().st_size
    other = Entry(tmp_path / "other.py", "ch01:other", "ch01", "ch01_goodput")
    os.rename(entry.path, other.path)
    read_listed([other])
    assert (tmp_path / "cache" / "pairs.pickle").stat().st_size < 1.5 * size
