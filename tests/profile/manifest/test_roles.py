"""The manifest's own consistency: references lead somewhere, all chapters are there, roles differ by chip."""

import pytest

from perfproof.profile.lint_tables import known_options
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.roles import groups, metrics_of, roles_of, wishes


def test_all_twenty_chapters_are_there():
    assert list(wishes("chapters")) == [f"ch{number:02}" for number in range(1, 21)]


def test_a_chapter_without_counters_says_why():
    for wish in wishes("chapters").values():
        assert wish.metrics or wish.note


@pytest.mark.parametrize("kind", ["chapters", "tags", "presets"])
def test_every_reference_is_a_group_or_a_role(kind):
    for wish in wishes(kind).values():
        for reference in wish.metrics:
            group, _, role = reference.partition(".")
            assert group in groups() and (not role or role in groups()[group].roles), reference


@pytest.mark.parametrize("kind", ["chapters", "tags"])
def test_traces_and_options_of_nsys_exist(kind):
    nsys = known_options()["nsys"]
    for wish in wishes(kind).values():
        assert set(wish.nsys) <= set(nsys["trace"])
        assert {option.partition("=")[0] for option in wish.options} <= set(nsys["known"])
        assert wish.nsys or not wish.options


def test_tables_name_only_chips_of_the_manifest():
    for group in groups().values():
        for by_chip in group.roles.values():
            assert by_chip and set(by_chip) <= set(chips())


def test_a_role_has_the_chips_own_names():
    assert metrics_of(["TC.fp16"], "GH100") == ["sm__ops_path_tensor_src_fp16.sum"]
    assert len(metrics_of(["TC.fp16"], "GB100")) == 2
    assert metrics_of(["TMEM"], "GB202") == []
    assert roles_of("dram__bytes_op_read.sum") == ["BYTES.dram_read"]


def test_presets_hold_the_chapters_they_stand_for():
    assert wishes("presets")["minimal"].metrics == wishes("presets")["quick"].metrics
    assert set(groups()) == set(wishes("presets")["deep"].metrics)
