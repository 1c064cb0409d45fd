"""The table of features against what each chip is known for."""

import pytest

from perfproof.machine.capability import FEATURES, KNOWN, architecture, capabilities


def has(capability, feature):
    (row,) = [row for row in capabilities(capability) if row.feature == feature]
    return row.supported


@pytest.mark.parametrize(
    ("feature", "first", "last_without"),
    [
        ("bf16 tensor cores", 8.0, 7.5),
        ("cp.async", 8.0, 7.5),
        ("fp8 tensor cores", 8.9, 8.7),
        ("TMA (cp.async.bulk.tensor)", 9.0, 8.9),
        ("distributed shared memory", 9.0, 8.9),
        ("cluster launch control", 10.0, 9.0),
        ("fp6 and fp4 tensor cores", 10.0, 9.0),
    ],
)
def test_features_that_stay_begin_with_a_chip(feature, first, last_without):
    assert has(first, feature) is True and has(last_without, feature) is False
    assert all(has(later, feature) is True for later in KNOWN if later >= first)


def test_wgmma_is_hoppers_alone():
    assert [capability for capability in KNOWN if has(capability, "wgmma")] == [9.0]


def test_tensor_memory_is_in_the_data_centre_blackwells_and_not_in_the_others():
    assert [capability for capability in KNOWN if has(capability, "tcgen05 and Tensor Memory")] == [10.0, 10.3, 11.0]


def test_a_chip_that_is_not_in_the_table_is_unknown_not_no():
    assert all(str(row.supported).startswith("unknown: ") for row in capabilities(13.0))
    assert architecture(13.0).startswith("unknown: ") and architecture(None).startswith("unknown: ")


def test_every_row_says_where_it_is_written():
    assert all(feature.source and set(feature.on) <= set(KNOWN) for feature in FEATURES)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)
