"""What a stored document promises to its readers."""

import json

import pytest

from perfproof.core.documents import SCHEMA_VERSION, Run, TargetResult, read_run
from perfproof.core.errors import DocumentError

RUN = Run(perfproof_version="0.1.0", run="r", started="2025-01-01T00:00:00Z")


def test_a_document_reads_back_as_it_was():
    run = RUN.model_copy(update={"targets": [TargetResult(target="ch01:x", status="skipped", reason="no GPU")]})
    assert read_run(run.model_dump_json()) == run


def test_a_warning_from_before_there_were_kinds_has_the_kind_of_its_code():
    warned = [
        {"code": "W108", "text": "x"},
        {"code": "W104", "text": "x"},
        {"code": "W104", "text": "x", "kind": "note"},
    ]
    target = TargetResult(target="ch01:x", status="ok").model_dump() | {"warnings": warned}
    (read,) = read_run(json.dumps(RUN.model_dump() | {"targets": [target]})).targets
    assert [one.kind for one in read.warnings] == ["note", "warning", "note"]


def test_a_newer_version_is_refused_by_name():
    newer = RUN.model_dump() | {"schema_version": SCHEMA_VERSION + 1}
    with pytest.raises(DocumentError, match=f"schema version {SCHEMA_VERSION + 1}.*upgrade"):
        read_run(json.dumps(newer))


def test_an_unknown_field_is_refused():
    with pytest.raises(DocumentError, match="surprise"):
        read_run(json.dumps(RUN.model_dump() | {"surprise": 1}))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '"run"', "null"])
def test_what_is_no_document_is_refused_in_one_line(text):
    with pytest.raises(DocumentError) as refused:
        read_run(text)
    assert "\n" not in str(refused.value)


def test_a_status_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="status"):
        TargetResult(target="x", status="passed")
