"""The stored profile: what is written is read again, and nothing that it does not know gets in."""

import pytest
from pydantic import ValidationError

from perfproof.core.profile_record import Capture, Portion, ProfileRecord

RECORD = ProfileRecord(
    perfproof_version="0.1.0",
    started="2026-01-01T00:00:00Z",
    asked_tool="auto",
    tool="torch",
    preset="minimal",
    captures=[Capture(tool="torch", status="ok", portions=[Portion(kind="operator", name="aten::mm", launches=2)])],
)


def test_what_is_written_is_read_again():
    assert ProfileRecord.model_validate_json(RECORD.model_dump_json()) == RECORD


def test_a_time_that_was_not_recorded_is_none_and_not_zero():
    assert RECORD.captures[0].portions[0].seconds is None


@pytest.mark.parametrize("wrong", [{"status": "fine"}, {"surprise": 1}])
def test_what_it_does_not_know_is_refused(wrong):
    with pytest.raises(ValidationError):
        Capture.model_validate({"tool": "torch", "status": "ok", **wrong})
