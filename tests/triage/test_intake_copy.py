"""The intake form goes along; what it says of goal and KPI stands in the manifest, and a broken one is news."""

import pytest

from perfproof.core.errors import UsageError
from perfproof.triage import session
from perfproof.triage.intake_copy import copy_form, read_form
from perfproof.triage.session import TriageOptions


@pytest.fixture
def made(tmp_path):
    return session.begin(TriageOptions(output_root=tmp_path / "out"), lambda line: None)


@pytest.mark.parametrize(
    ("text", "goal", "kpi"),
    [
        ("goal: faster\nkpi: tokens/s\n", "faster", "tokens/s"),
        ("goal:\n  summary: faster\n  kpi: {name: tps, target: 2}\n", "faster", "name: tps, target: 2"),
        ("goal: |\n  two\n  lines\n", "two lines", ""),
        ("- a list\n", "", ""),
        ("", "", ""),
    ],
)
def test_goal_and_kpi_are_one_line_each(made, text, goal, kpi):
    copy_form(made, text)
    assert (made.goal, made.kpi) == (goal, kpi)
    assert made.steps[0].status == "ok"


def test_a_form_that_is_no_yaml_is_kept_and_told(made):
    copy_form(made, "goal: [unclosed\n")
    assert made.steps[0].status == "failed" and "no YAML" in made.steps[0].why
    assert (made.folder / "raw/intake.yaml").exists()


def test_a_form_cannot_run_anything(made):
    copy_form(made, "goal: !!python/object/apply:os.system ['true']\n")
    assert made.steps[0].status == "failed" and made.goal == ""


def test_a_file_that_is_no_form_is_refused(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large").write_bytes(b"x" * (2 << 20))
    for name in ("missing", "binary", "large"):
        with pytest.raises(UsageError, match="--intake"):
            read_form(tmp_path / name)
