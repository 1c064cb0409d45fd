"""Bundles made by hand: documents with known values, packed as `perfproof triage` packs them."""

import json

import pytest

from perfproof.core.triage import TriageManifest, TriageRun, TriageStep, TriageTiming
from perfproof.triage.opening import Bundle


def timing(walls, **metrics):
    """Runs with these wall times; each metric is a list of values, one a run."""
    runs = [
        TriageRun(seconds=wall, cpu_seconds=wall, exit_code=0, metrics={name: metrics[name][at] for name in metrics})
        for at, wall in enumerate(walls)
    ]
    return TriageTiming(command=["train"], runs=runs, better=dict.fromkeys(metrics, "higher"))


def bundle(name="triage-a", walls=(), metrics=None, **documents):
    manifest = TriageManifest(
        perfproof_version="0",
        name=name,
        started="2026-01-02T03:04:05Z",
        command=["train"] if walls else [],
        steps=[TriageStep(name="identity", status="ok", deadline_seconds=6)],
    )
    parsed = dict(documents)
    if walls:
        parsed["timing"] = json.loads(timing(walls, **(metrics or {})).model_dump_json())
    return Bundle(manifest, parsed)


@pytest.fixture
def make_bundle():
    return bundle


@pytest.fixture
def write_bundle(tmp_path):
    """A bundle as a folder: write_bundle("a", walls=(1.0,))."""

    def write(name, **fields):
        made = bundle(name, **fields)
        folder = tmp_path / name
        (folder / "parsed").mkdir(parents=True)
        (folder / "manifest.json").write_text(made.manifest.model_dump_json())
        for document, value in made.parsed.items():
            (folder / "parsed" / f"{document}.json").write_text(json.dumps(value))
        return folder

    return write
