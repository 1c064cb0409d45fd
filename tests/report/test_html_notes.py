"""Notes and warnings are told apart by their code."""

from perfproof.core.warnings import CODES
from perfproof.report.html_notes import NOTES, kind_of
from perfproof.report.next_step import DOUBTS


def test_what_describes_the_measurement_is_a_note_and_what_casts_doubt_is_a_warning():
    assert kind_of("W101") == "note" and kind_of("W104") == "warning"
    assert not NOTES & set(DOUBTS)


def test_an_unknown_code_is_a_warning():
    assert kind_of("W999") == kind_of("") == "warning"


def test_every_note_is_a_known_code_or_one_of_older_documents():
    assert NOTES - CODES.keys() == {"W110"}
