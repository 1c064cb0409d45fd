"""The manifest's own consistency: references lead somewhere, all chapters are there, roles differ by chip."""

import pytest

from perfproof.profile.lint.tables import known_options
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.names import check
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
    assert metrics_of(["TC.bf16", "TMA"], "TU104") == [] and metrics_of(["TC.bf16"], "GA100")
    assert metrics_of(["TC.fp8"], "AD102") and not metrics_of(["TC.fp8"], "GA100")
    assert metrics_of(["LAUNCH.grid"], "TU104") == ["launch__grid_size"], "ncu's own are on every chip"


def test_every_role_is_on_a_chip():
    assert [name for group in groups().values() for name, by_chip in group.roles.items() if not by_chip] == []


def test_a_role_names_only_what_the_chip_has():
    for chip in chips():
        assert [(chip, check(name, chip)) for name in metrics_of(groups(), chip) if check(name, chip)] == []


def test_a_counter_leads_back_to_its_role():
    assert roles_of("dram__bytes_op_read.sum") == ["BYTES.dram_read"]


def test_presets_hold_the_chapters_they_stand_for():
    assert wishes("presets")["minimal"].metrics == wishes("presets")["quick"].metrics
    assert set(groups()) == set(wishes("presets")["deep"].metrics)
