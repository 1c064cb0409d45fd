"""Two functions of a program, as the bench takes them: names, labels, and the words of the result."""

import copy
import functools
import importlib
import shutil
import types
from pathlib import Path

import pytest
import torch

from perfproof.bench.forms import two_functions
from perfproof.core.errors import UsageError
from perfproof.worker import pickled


@pytest.mark.parametrize(
    ("f", "g", "names"),
    [
        (lambda x, y: x, lambda a, b: a, ("x", "y")),
        (lambda x, y, z=1: x, lambda *all: all[0], ("x", "y")),
        (lambda *all: all[0], lambda a, b: a, ("a", "b")),
        (torch.nn.Bilinear(2, 2, 2), lambda *all: all[0], ("input1", "input2")),
        (lambda *all: all, max, ("x0", "x1")),
    ],
)
def test_arguments_are_named_as_a_function_names_them(f, g, names):
    assert two_functions.argument_names(f, g, (1, 2)) == names


def test_a_function_that_cannot_take_what_is_drawn_is_refused():
    with pytest.raises(UsageError, match="g cannot take the one value of inputs"):
        two_functions.argument_names(lambda x: x, lambda x, y: x, torch.ones(3))


def plain(x):
    return x


class Slow:
    def encode(self, x):
        return x


class Fast(Slow):
    def encode(self, x):
        return x


def made_inside(kind):
    def encode(x):
        return kind, x

    return encode


@pytest.mark.parametrize(
    ("f", "g", "labels"),
    [
        (plain, max, ("plain", "max")),
        (lambda x: x, plain, ("f", "plain")),
        (plain, plain, ("f", "g")),
        (functools.partial(plain), torch.nn.ReLU(), ("plain", "ReLU")),
        (torch.nn.ReLU(), torch.nn.ReLU(), ("f", "g")),
        (Slow().encode, Fast().encode, ("Slow.encode", "Fast.encode")),
        (functools.partial(Slow().encode), Fast().encode, ("Slow.encode", "Fast.encode")),
        (copy.copy, types.SimpleNamespace, ("copy", "SimpleNamespace")),
        (shutil.copy, copy.copy, ("shutil.copy", "copy.copy")),
        (made_inside(1), made_inside(2), ("f", "g")),
    ],
)
def test_sides_are_called_by_the_names_of_their_functions(f, g, labels):
    assert two_functions.labels_of(f, g) == labels


@pytest.mark.parametrize(
    ("said", "in_python"),
    [
        ("one launch: --effort standard runs it", 'one launch: effort="standard" runs it'),
        ("raise --budget or --timeout", "raise budget= or timeout="),
        ("run with --device cpu", 'run with device="cpu"'),
        ("accept it with --allow load --allow virtual", 'accept it with allow=["load", "virtual"]'),
        ("--allow 'x' is no reason", "allow=['x'] is no reason"),
        ("choose another --artifacts-dir", "choose another folder with save="),
        ("nothing about options -- at all", "nothing about options -- at all"),
        ("f at timed sizes: changes `x`: work on a copy, or name it in `mutates`", "f: changes `x`: work on a copy"),
    ],
)
def test_options_of_the_command_line_become_parameters(said, in_python):
    assert two_functions.in_python(said) == in_python


def test_functions_without_inputs_are_called_without_arguments_or_refused():
    assert two_functions.argument_names(lambda: 1, lambda: 2, ()) == ()
    with pytest.raises(UsageError, match=r"g needs arguments \(.*'x'\): pass a function that draws"):
        two_functions.argument_names(lambda: 1, plain, ())


def test_files_that_functions_name_are_found_where_the_program_runs(tmp_path, monkeypatch):
    """In the code of a function, in a value that it uses, and in a module of the program; no other file is taken."""
    unnamed = "unnamed" + ".txt"  # in two parts: this file is a module of the program, too
    for name in ("settings.yaml", "weights.bin", "table.csv", unnamed):
        (tmp_path / name).touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "own_module_of_a_test.py").write_text("TABLE = 'table.csv'\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("own_module_of_a_test")
    weights, handed_over = {"path": Path("data/a.bin"), "name": "weights.bin"}, tmp_path / "handed over"
    handed_over.mkdir()
    pickled.write({"f": lambda: (Path("./settings.yaml").read_text(), weights)}, handed_over)
    found = two_functions.files_read(handed_over, tmp_path)
    assert set(found) >= {"settings.yaml", "weights.bin", "table.csv", "data"} and unnamed not in found
    assert found["settings.yaml"] == str(tmp_path / "settings.yaml")
