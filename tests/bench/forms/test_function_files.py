"""Where compared functions are defined: for the page, which shows them while their file is the same."""

import functools

import torch

from perfproof.bench.forms import function_files
from perfproof.bench.forms.function_files import file_of


def decorated(function):
    @functools.wraps(function)
    def inner(*values):
        return function(*values)

    return inner


@decorated
def doubled(x):
    return 2 * x


class Own(torch.nn.Module):
    def forward(self, x):
        return x


def test_functions_in_files_are_found_through_what_calls_them():
    assert file_of(doubled).name == file_of(functools.partial(doubled, 1)).name == "doubled"
    assert file_of(doubled).path.endswith("test_function_files.py") and file_of(doubled).line == 19
    assert file_of(Own()).name == file_of(Own().forward).name == "forward"
    assert len(file_of(function_files.file_of).sha256) == 64


def test_a_lambda_and_what_is_not_in_a_file_have_none():
    typed: dict = {}
    exec(compile("def f(x): return x", "<stdin>", "exec"), typed)
    assert file_of(lambda x: x) is file_of(len) is file_of(typed["f"]) is file_of(torch.sin) is None
