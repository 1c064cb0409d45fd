"""The published JSON Schema is that of the classes, and documents obey it."""

import json
import math
from pathlib import Path

import jsonschema
import pytest

from perfproof.core.documents import Error, RatioResult, Run, TargetResult, VariantResult
from perfproof.core.schema import file_of, published, schema_text
from perfproof.history.folders import document_text

SCHEMA = json.loads(schema_text("run"))


def a_run(rms: float) -> Run:
    error = Error(rms_relative=rms, max_absolute=1e-6, of_tolerance=0.1, calls_checked=3)
    target = TargetResult(
        target="ch01:x",
        status="ok",
        verdict="faster",
        variants={"baseline": VariantResult(times={"call": 1e-3}), "optimized": VariantResult(error=error)},
        ratios={"optimized": RatioResult(verdict="faster", ratio=2.0, low=1.9, high=2.1)},
    )
    return Run(perfproof_version="0.1.0", run="r", started="2025-01-01T00:00:00Z", targets=[target])


@pytest.mark.parametrize("name", published())
def test_a_published_schema_is_current(name):
    published_file = Path(__file__).parents[2] / file_of(name)
    assert published_file.read_text() == schema_text(name), "run `python -m perfproof.core.schema`"


def test_runs_and_ceilings_are_published():
    assert {"run", "ceilings"} <= set(published())


@pytest.mark.parametrize("rms", [1e-7, math.nan, math.inf])
def test_a_document_obeys_the_schema(rms):
    jsonschema.validate(json.loads(document_text(a_run(rms))), SCHEMA)


def test_the_schema_refuses_what_the_classes_refuse():
    document = json.loads(document_text(a_run(1e-7)))
    for wrong in ({"state": "done"}, {"surprise": 1}, {"targets": [{"target": "x"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | wrong, SCHEMA)
