"""The options of a run say what is run."""

from dataclasses import replace

from perfproof.core.options import RunOptions


def test_fast_is_quick_effort_however_the_options_come_about():
    assert RunOptions(effort="final").effort == "final"
    assert RunOptions(effort="final", fast=True).effort == "quick"
    assert replace(RunOptions(fast=True), effort="final").effort == "quick"
    assert replace(RunOptions(effort="standard"), fast=True).effort == "quick"
