import importlib.util

import pytest

from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.pairs.names import REQUIRED
from perfproof.pairs.template import TEXT, write_new


def test_the_new_file_keeps_the_contract_and_is_timed_on_a_cpu(tmp_path):
    path = write_new("my_pair", tmp_path)
    pair = read_pair(path, "my_pair", "mine")
    assert path.name == "my_pair.py"
    assert availability(pair, Facts("cpu", None, 0, 1, lambda name: True)).timed


def test_every_required_name_stands_there_with_a_word_of_explanation():
    lines = TEXT.splitlines()
    for name in REQUIRED:
        number = next(i for i, line in enumerate(lines) if line.startswith((f"{name} =", f"def {name}(")))
        around = lines[number + 1] if lines[number].startswith("def") else lines[number - 1]
        assert around.strip().startswith(('"""', "#")), name


def test_the_new_file_runs_and_both_sides_are_right(tmp_path):
    torch = pytest.importorskip("torch")
    path = write_new("my_pair", tmp_path)
    spec = importlib.util.spec_from_file_location("my_pair", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    arguments = module.inputs(**module.smoke)
    for side in (module.baseline, module.optimized):
        torch.testing.assert_close(side(*arguments).double(), module.reference(*arguments), **module.tolerance)
    assert module.cost(**module.workload)["baseline_bytes"] == 1.5 * module.cost(**module.workload)["bytes"]


def test_an_existing_file_is_left_as_it_is(tmp_path):
    (tmp_path / "my_pair.py").write_text("mine")
    with pytest.raises(UsageError, match="exists and is left as it is"):
        write_new("my_pair", tmp_path)
    assert (tmp_path / "my_pair.py").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["", "My-Pair", "2fast", "a/b", "../up", "pair.py", "_private", "test_it", "conftest", "a\n"]
)
def test_a_name_that_no_pair_can_have_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="is not a name for a pair; use small letters"):
        write_new(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: No such file or directory; choose another folder"):
        write_new("my_pair", tmp_path / "none")
