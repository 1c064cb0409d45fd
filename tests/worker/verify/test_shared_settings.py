"""A variant that sets a number of a module that all sides share is named; a count and a cache are not."""

from types import ModuleType, SimpleNamespace

import pytest

from perfproof.worker.verify import shared_settings
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
CODE = """
class Settings:
    block = 64
settings, block, calls, table, options = Settings(), 64, 0, None, {"block": 64}
"""


def said(change, baseline=None):
    module = ModuleType("knobs")
    exec(CODE, vars(module))
    sides = {
        "baseline": lambda own: ((baseline or (lambda knobs: None))(module), {}),
        "optimized": lambda own: (change(module), {}),
    }
    return shared_settings.check(CONTRACT, sides, ([1, 2],), [module])


def set_block(knobs):
    knobs.block = 8


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (set_block, "knobs.block"),
        (lambda knobs: setattr(knobs.settings, "block", 8), "knobs.settings.block"),
        (lambda knobs: setattr(knobs.Settings, "block", 8), "knobs.Settings.block"),
        (lambda knobs: knobs.options.update(block=8), "knobs.options['block']"),
    ],
)
def test_a_setting_that_a_variant_changes_for_all_sides_is_named(change, place):
    assert [one for one in said(change) if f"optimized sets {place} from 64 to 8" in one]


@pytest.mark.parametrize(
    "change",
    [
        lambda knobs: setattr(knobs, "calls", knobs.calls + 1),
        lambda knobs: setattr(knobs, "table", [1, 2]),
        lambda knobs: setattr(knobs, "new_one", 1),
        lambda knobs: SimpleNamespace(**vars(knobs)),
    ],
)
def test_a_count_a_cache_and_what_is_new_are_not_named(change):
    assert said(change) == []


def test_what_the_baseline_sets_itself_is_not_named():
    assert said(set_block, baseline=set_block) == []
