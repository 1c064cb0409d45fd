"""The tree of refusals and the exit codes that scripts rely on."""

import pytest

from perfproof.core import errors


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.PerfproofError, 1),
        (errors.UsageError, 2),
        (errors.ContractError, 2),
        (errors.DocumentError, 2),
        (errors.UnfitError, 3),
        (errors.WorkerCrashed, 4),
        (errors.WorkerTimeout, 4),
        (errors.WorkerLied, 1),
        (errors.NothingMatched, 5),
    ],
)
def test_every_refusal_has_its_exit_code(error, code):
    assert error.exit_code == code
    assert issubclass(error, errors.PerfproofError)


def test_a_broken_contract_says_where_and_what():
    error = errors.ContractError("my_pair.py:3", "no `reference`. Add `def reference(x)`")
    assert str(error) == "my_pair.py:3: no `reference`. Add `def reference(x)`"


def test_the_tree_in_the_docstring_names_every_error():
    for name, value in vars(errors).items():
        if isinstance(value, type) and issubclass(value, errors.PerfproofError):
            assert name in errors.__doc__
