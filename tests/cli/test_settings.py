"""Options from pyproject.toml: found, applied, overridden, and never silently ignored."""

import pytest


@pytest.fixture
def settings(tmp_path):
    return lambda text: (tmp_path / "pyproject.toml").write_text(text)


def test_a_setting_is_the_default_of_every_command_that_has_the_option(
    perfproof, settings, pair_files, fake_bench, tmp_path
):
    settings('[tool.perfproof]\nartifacts-dir = "out"\nallow = ["all"]\neffort = "final"\ndelta = 0.02\nbudget = 60\n')
    assert perfproof("run", *pair_files("a")).code == 0
    options = fake_bench.calls[0].options
    assert (options.effort, options.delta, options.budget) == ("final", 0.02, 60.0)
    assert list((tmp_path / "out").glob("*/run.json"))
    assert "removed 1 folder" in perfproof("clean", "--all").out


def test_a_table_of_its_own_is_for_one_command(perfproof, settings, pair_files, fake_bench):
    settings('[tool.perfproof]\neffort = "final"\n[tool.perfproof.run]\neffort = "quick"\n')
    perfproof("run", *pair_files("a"))
    assert fake_bench.calls[0].options.effort == "quick"


def test_the_command_line_wins(perfproof, settings, pair_files, fake_bench):
    settings('[tool.perfproof]\neffort = "final"\n')
    perfproof("run", *pair_files("a"), "--effort", "quick")
    assert fake_bench.calls[0].options.effort == "quick"


def test_switches_and_lists_can_be_set(perfproof, settings, pair_files, fake_bench):
    settings('[tool.perfproof.run]\nfast = true\nvariant = ["optimized"]\n')
    perfproof("run", *pair_files("a"))
    assert fake_bench.calls[0].options.fast
    assert fake_bench.calls[0].options.variants == ("optimized",)


def test_a_second_level_command_is_set_too(perfproof, settings, pair_files, fake_bench):
    settings('[tool.perfproof]\nartifacts-dir = "out"\n[tool.perfproof.report]\nformat = "csv"\n')
    perfproof("run", *pair_files("a"))
    assert perfproof("report", "run", "latest").out.startswith("target,variant,status")


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ('[tool.perfproof]\nefort = "final"\n', "near it: effort"),
        ('[tool.perfproof.run]\nefort = "final"\n', "near it: effort"),
        ('[tool.perfproof.clean]\nefort = "final"\n', "`perfproof clean --help` shows"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_ones(perfproof, settings, text, near):
    settings(text)
    for command in (["run", "x.py"], ["explain", "W104"]):
        refused = perfproof(*command)
        assert refused.code == 2 and refused.err.count("\n") == 1
        assert "pyproject.toml" in refused.err and f"has no 'efort'; {near}" in refused.err
        assert "--help` shows what there is" in refused.err and refused.err.count(", ") <= 2


def test_a_table_of_a_command_that_there_is_not_is_refused_with_the_nearest_commands(perfproof, settings):
    for name, near in (
        ("rum", "near it: run; "),
        ("effort", "near it: report; "),
        ("zzzz", "has no 'zzzz'; `perfproof "),
    ):
        settings(f"[tool.perfproof.{name}]\nx = 1\n")
        for command in (["run", "x.py"], ["explain", "W104"]):
            refused = perfproof(*command)
            assert refused.code == 2 and f"has no '{name}'" in refused.err and near in refused.err, refused.err


def test_a_setting_of_another_command_is_no_error(perfproof, settings):
    settings('[tool.perfproof]\neffort = "final"\n[tool.perfproof.run]\nbudget = 60\n')
    assert perfproof("explain", "W104").code == 0


def test_a_value_that_makes_no_sense_is_refused(perfproof, settings):
    settings('[tool.perfproof]\neffort = "best"\n')
    assert perfproof("run", "x.py").code == 2
    settings("[tool.perfproof]\nrun = 3\n")
    assert "must be a table" in perfproof("run", "x.py").err


def test_a_file_that_is_not_toml_is_refused_with_its_name(perfproof, settings):
    settings("[tool.perfproof\n")
    refused = perfproof("explain", "W104")
    assert refused.code == 2 and "pyproject.toml: cannot be read" in refused.err


def test_the_nearest_file_counts(perfproof, settings, tmp_path, monkeypatch):
    settings('[tool.perfproof]\nefort = "final"\n')
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert perfproof("explain", "W104").code == 2
    (tmp_path / "inner" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert perfproof("explain", "W104").code == 0


def test_a_group_that_is_a_command_itself_is_set_too(perfproof, settings):
    settings('[tool.perfproof.triage]\noutput-root = "bundles"\nrepeats = 0\n')
    refused = perfproof("triage", "--only", "none")
    assert refused.code == 2 and "repeats" in refused.err
