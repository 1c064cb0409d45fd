"""Functions of libraries have a kind of work by their names; those beside them that do something else have not."""

import pytest

from perfproof.diagnose.kinds_of_work import KINDS, kind_of


@pytest.mark.parametrize(
    ("frame", "what"),
    [
        ("scipy.sparse._csr:_getcol", "against its order"),
        ("scipy.sparse._compressed:_set_many", "setting elements"),
        ("scipy.sparse._coo:tocsr", "converting sparse"),
        ("pandas.core.frame:_ixs", "single rows"),
        ("pandas.core.indexing:_setitem_with_indexer", "single rows"),
        ("pandas.core.groupby.groupby:_python_apply_general", "per group"),
        ("pandas.core.reshape.concat:concat", "joined"),
        ("triton.compiler.compiler:compile", "Triton"),
        ("triton.runtime.autotuner:_bench", "Triton"),
        ("dataclasses:_asdict_inner", "copying"),
        ("pickle:", "packing"),
        ("multiprocessing.managers:_callmethod", "manager"),
        ("fractions:__add__", "fractions"),
        ("statistics:stdev", "statistics"),
        ("dateutil.parser._parser:parse", "parsing"),
        ("enum:__and__", "Enum"),
        ("random:choice", "random numbers"),
        ("threading:start", "starting threads"),
    ],
)
def test_work_has_a_kind(frame, what):
    assert what in kind_of(frame).what


@pytest.mark.parametrize(
    "frame",
    [
        "scipy.sparse._csr:_getrow",
        "scipy.sparse._csc:_getcol",
        "pandas.core.frame:__getitem__",
        "triton.runtime.jit:run",
        "triton.runtime.autotuner:run",
        "threading:wait",
        "pick (random.py:7)",
        "dataclasses:__init__",
    ],
)
def test_other_functions_beside_it_have_none(frame):
    assert kind_of(frame) is None


def test_every_kind_says_what_to_do():
    assert all(kind.advice and kind.begins for kind in KINDS)
