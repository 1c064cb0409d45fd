import importlib.util
import re

import pytest

from perfproof.core.errors import UsageError
from perfproof.core.facts import Facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.pairs.names import SMALLEST, is_contract_name
from perfproof.pairs.template import TEXT, write_new


def test_the_new_file_is_a_pair_of_one_s_own_and_is_timed_on_a_cpu(tmp_path):
    path = write_new("my_pair", tmp_path)
    pair = read_pair(path, "my_pair", "mine", own=True)
    assert path.name == "my_pair.py" and pair.lesson.startswith("Sum the squares")
    assert availability(pair, Facts("cpu", None, 0, 1, lambda name: True)).timed


def test_every_function_stands_there_with_a_word_of_explanation_and_the_file_is_small():
    lines = TEXT.splitlines()
    for name in SMALLEST:
        number = next(i for i, line in enumerate(lines) if line.startswith(f"def {name}("))
        assert lines[number + 1].strip().startswith('"""'), name
    assert len(lines) < 40


def test_what_the_new_file_only_mentions_are_names_of_the_contract():
    named = re.findall(r"^# (?:def )?(\w+)(?: =|\()", TEXT, re.MULTILINE)
    assert named and all(map(is_contract_name, named))


def test_the_new_file_runs_and_both_sides_are_right(tmp_path):
    torch = pytest.importorskip("torch")
    path = write_new("my_pair", tmp_path)
    spec = importlib.util.spec_from_file_location("my_pair", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    torch.manual_seed(0)
    x = module.inputs(**module.workload)
    for side in (module.baseline, module.optimized):
        torch.testing.assert_close(side(x).double(), (x.double() ** 2).sum(), rtol=1e-4, atol=1e-4)


def test_an_existing_file_is_left_as_it_is(tmp_path):
    (tmp_path / "my_pair.py").write_text("mine")
    with pytest.raises(UsageError, match="exists and is left as it is"):
        write_new("my_pair", tmp_path)
    assert (tmp_path / "my_pair.py").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["", "My-Pair", "2fast", "a/B", "../Up", "pair.txt", "_private", "test_it", "conftest", "a\n"]
)
def test_a_name_that_no_pair_can_have_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="is not a name for a pair; use small letters"):
        write_new(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["pair.py", "mine/pair", "mine/pair.py"])
def test_a_name_may_be_a_path(tmp_path, name):
    (tmp_path / "mine").mkdir()
    assert write_new(name, tmp_path) == (tmp_path / name).with_suffix(".py")


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be written: No such file or directory; choose another folder"):
        write_new("my_pair", tmp_path / "none")
