"""Values of every kind that pairs take and return, drawn at random: `KINDS[name](rng)`."""

import datetime
import enum
import random
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import numpy
import pytest
import torch


@dataclass
class Batch:
    values: Any
    label: str = "train"


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float


class Pair(NamedTuple):
    first: Any
    second: Any


Color = enum.Enum("Color", [f"C{number}" for number in range(10**4)])


def tensor(rng, *shape):
    return torch.randn(shape or (6, 5), generator=torch.Generator().manual_seed(rng.getrandbits(32)))


def array(rng, *shape):
    return tensor(rng, *shape).numpy()


def sparse(rng):
    return (tensor(rng, 6, 8) - 0.2).relu()


def jagged(rng, layout):
    return torch.nested.nested_tensor([tensor(rng, 2, 3), tensor(rng, 4, 3)], layout=layout)


def structured(rng):
    return numpy.array([(rng.random(), rng.getrandbits(20)) for _ in range(4)], dtype=[("a", "f4"), ("b", "i8")])


def date(rng):
    return datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=rng.getrandbits(30))


def columns(rng):
    return {"a": [rng.random() for _ in range(4)], "b": [f"{rng.getrandbits(60):x}" for _ in range(4)]}


def pandas_frame(rng):
    pandas = pytest.importorskip("pandas")
    whole = pandas.array([rng.getrandbits(20), None, 3, 4], dtype="Int64")
    dates = pandas.to_datetime([date(rng) for _ in range(4)])
    return pandas.DataFrame({**columns(rng), "c": whole, "d": dates, "e": pandas.Categorical(list("uvuv"))})


def polars_frame(rng):
    polars = pytest.importorskip("polars")
    more = {"c": [rng.getrandbits(20), None, 3, 4], "d": [date(rng)] * 4, "e": [[rng.random()]] * 4}
    return polars.DataFrame({**columns(rng), **more})


def arrow_table(rng):
    return pytest.importorskip("pyarrow").table({**columns(rng), "c": [rng.getrandbits(20), None, 3, 4]})


def small_floats(rng):
    return array(rng).astype(pytest.importorskip("ml_dtypes").bfloat16)


KINDS = {
    "dataclass": lambda rng: Batch(tensor(rng)),
    "frozen dataclass": lambda rng: Point(rng.random(), rng.random()),
    "named tuple": lambda rng: Pair(tensor(rng), [rng.random()]),
    "set": lambda rng: {rng.getrandbits(40) for _ in range(5)},
    "set of records": lambda rng: frozenset({Point(rng.random(), 1.0), ("a", rng.random())}),
    "counter": lambda rng: Counter({rng.getrandbits(40): 2, "b": 1}),
    "default dict": lambda rng: defaultdict(list, a=[rng.random()]),
    "ordered dict": lambda rng: OrderedDict(b=rng.random(), a=tensor(rng)),
    "deque": lambda rng: deque([rng.random(), 2.0], maxlen=7),
    "COO": lambda rng: sparse(rng).to_sparse(),
    "CSR": lambda rng: sparse(rng).to_sparse_csr(),
    "CSC": lambda rng: sparse(rng).to_sparse_csc(),
    "BSR": lambda rng: sparse(rng).to_sparse_bsr((2, 2)),
    "jagged": lambda rng: jagged(rng, torch.jagged),
    "nested": lambda rng: jagged(rng, torch.strided),
    "complex": lambda rng: torch.complex(tensor(rng), tensor(rng)),
    "quantised": lambda rng: torch.quantize_per_tensor(tensor(rng), 0.1, 10, torch.quint8),
    "float8": lambda rng: tensor(rng).to(torch.float8_e5m2),
    "bfloat16": lambda rng: tensor(rng).bfloat16(),
    "ml_dtypes": small_floats,
    "structured array": structured,
    "masked array": lambda rng: numpy.ma.masked_less(array(rng), 0.0),
    "array of dates": lambda rng: numpy.array([date(rng), None], dtype="datetime64[us]"),
    "array of texts": lambda rng: numpy.array([f"{rng.getrandbits(60):x}", None], dtype=object),
    "array of objects": lambda rng: numpy.array([rng.random(), "text"], dtype=object),
    "scipy CSR": lambda rng: pytest.importorskip("scipy.sparse").csr_array(sparse(rng).numpy()),
    "scipy LIL": lambda rng: pytest.importorskip("scipy.sparse").lil_matrix(sparse(rng).numpy()),
    "pandas frame": pandas_frame,
    "pandas series": lambda rng: pandas_frame(rng)["a"],
    "pandas index": lambda rng: pandas_frame(rng).set_index(["a", "b"]).index,
    "polars frame": polars_frame,
    "polars series": lambda rng: polars_frame(rng)["b"],
    "arrow table": arrow_table,
    "arrow array": lambda rng: arrow_table(rng)["a"].chunk(0),
    "date": date,
    "path": lambda rng: Path(f"{rng.getrandbits(40):x}.txt"),
    "identifier": lambda rng: UUID(int=rng.getrandbits(120)),
    "address": lambda rng: ip_address(rng.getrandbits(31)),
    "decimal": lambda rng: Decimal(rng.getrandbits(60)) / 1000,
    "fraction": lambda rng: Fraction(rng.getrandbits(60), 7),
    "enum": lambda rng: rng.choice(list(Color)),
    "complex number": lambda rng: complex(rng.random(), rng.random()),
}
every_kind = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def three(make, seed=1):
    """A value, the same value made again, and another one."""
    return make(random.Random(seed)), make(random.Random(seed)), make(random.Random(seed + 1))
