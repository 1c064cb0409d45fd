"""Values of other libraries as plain parts: names, and tensors, arrays or lists.

The libraries are looked up, never imported: where one is not loaded, no value can be of its types. Only its own types
are known, because a subclass may compute its parts later.
"""

import datetime
import functools
import ipaddress
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath
from typing import Any
from uuid import UUID

Parts = list[tuple[str, Any]]
DATES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone)
ADDRESSES = (ipaddress.IPv4Address, ipaddress.IPv6Address, ipaddress.IPv4Network, ipaddress.IPv6Network)
NAMES = (PosixPath, PurePosixPath, UUID)
EXACT = frozenset(
    {bool, int, str, bytes, type(None), Decimal, Fraction, *DATES, *ADDRESSES, *NAMES}
)  # equal or not: no rounding between
PANDAS_SCALARS = {"Timestamp", "Timedelta", "NaTType", "NAType", "Period", "Interval"}


def is_tensor(value: object) -> bool:
    kind: Any = type(value)
    return _is_tensor_kind(kind)


@functools.lru_cache(4096)
def _is_tensor_kind(kind: type) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(kind, torch.Tensor)


def is_array(value: object) -> bool:
    kind: Any = type(value)
    return _is_array_kind(kind)


@functools.lru_cache(4096)
def _is_array_kind(kind: type) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, numpy.ndarray)


def is_masked(value: object) -> bool:
    return type(value).__name__ == "MaskedArray" and type(value) is sys.modules["numpy"].ma.MaskedArray


def is_exact(value: object) -> bool:
    return _is_exact_kind(type(value))


def _is_exact_kind(kind: type) -> bool:
    return kind in EXACT or (kind.__module__.startswith("pandas") and kind.__name__ in PANDAS_SCALARS)


def is_sparse(value: Any) -> bool:
    if is_tensor(value):
        return not value.is_nested and value.layout in _sparse_layouts()
    return _is_own(value, "scipy.sparse") and hasattr(value, "tocoo")


def is_nested(value: Any) -> bool:
    return is_tensor(value) and value.is_nested


def is_known_tensor(value: Any) -> bool:
    """A tensor of torch itself; a subclass finds its values by code of its own."""
    torch = sys.modules["torch"]
    return type(value) in (torch.Tensor, torch.nn.Parameter) or _is_own(value, "torch.nested._internal.nested_tensor")


def foreign_parts(value: Any) -> Parts | None:
    """The parts of a value that another library made; None if it is none, or has no parts."""
    if is_tensor(value):
        return _tensor_parts(value)
    library = type(value).__module__.partition(".")[0]
    if library == "numpy":
        return _array_parts(value)
    if library == "scipy" and is_sparse(value):
        return _sparse_parts(*sparse_entries(value))
    if library == "pandas" and _is_own(value, "pandas"):
        return _pandas_parts(value)
    if library == "polars" and _is_own(value, "polars"):
        return _polars_parts(value)
    if library == "pyarrow" and _is_own(value, "pyarrow.lib"):
        return _arrow_parts(value)
    return None


def buffers_of(leaf: Any) -> Iterator[Any]:
    """Tensors and arrays through which a leaf can be written.

    Results may share the places of a sparse value with an argument, but not its numbers. Frames give nothing: they
    share columns by design, and are immutable or copied when written.
    """
    if is_sparse(leaf):
        values = _stored_values(leaf)
        yield from () if values is None else (values,)
    elif is_nested(leaf):
        yield leaf.detach().values()
    elif is_tensor(leaf) or is_array(leaf):
        yield leaf


def sparse_entries(value: Any) -> tuple[tuple[int, ...], Any, Any]:
    """Shape, places (one row for each dimension) and numbers of a sparse value; in order, and none twice."""
    if is_tensor(value):
        entries = value.detach().to_sparse_coo().coalesce()
        return tuple(value.shape), entries.indices(), entries.values()
    entries = value.tocoo(copy=True)
    entries.sum_duplicates()
    return tuple(value.shape), sys.modules["numpy"].stack(entries.coords), entries.data


def _tensor_parts(value: Any) -> Parts | None:
    torch = sys.modules["torch"]
    dense = value.layout == torch.strided and not (value.is_quantized or value.is_nested)
    if dense or not is_known_tensor(value):
        return None
    if value.is_nested:
        value = value.detach()
        if value.layout == torch.jagged and value.lengths() is None:
            return [("offsets", value.offsets()), ("values", value.values())]
        return [(str(row), item) for row, item in enumerate(value.unbind())]
    if value.is_quantized:
        return [("", value.detach().dequantize())]
    return _sparse_parts(*sparse_entries(value)) if is_sparse(value) else None


def _sparse_parts(shape: tuple[int, ...], places: Any, values: Any) -> Parts:
    return [("indices", places), (sparse_name(shape), values)]


def sparse_name(shape: tuple[int, ...]) -> str:
    return f"values of {'x'.join(map(str, shape))}"


def _array_parts(value: Any) -> Parts | None:
    """Fields of a structured array; a mask and what it leaves; items of objects, if more than names and dates."""
    if is_masked(value):
        numpy = sys.modules["numpy"]
        filled = value.filled(numpy.ma.default_fill_value(value.dtype))  # what lies under the mask means nothing
        return [("mask", numpy.ma.getmaskarray(value)), ("values", filled)]
    names = value.dtype.names if hasattr(value, "dtype") else None
    if names:
        return [(name, value[name]) for name in names]
    if not is_array(value) or value.dtype.kind != "O":
        return None
    items = _column(value.ravel().tolist())
    return None if is_array(items) else [(str(at), item) for at, item in enumerate(items)]


def _pandas_parts(value: Any) -> Parts | None:
    kind = type(value).__name__
    if kind == "DataFrame":
        columns = [(str(label), _pandas_column(value.iloc[:, at])) for at, label in enumerate(value.columns)]
        return [("index", value.index), *columns]
    if kind == "Series":
        return [("index", value.index), ("values", _pandas_column(value))]
    if kind == "MultiIndex":
        return [(str(level), value.get_level_values(level)) for level in range(value.nlevels)]
    return [("", _pandas_column(value))] if kind.endswith("Index") else None


def _pandas_column(series: Any) -> Any:
    numpy, kind = sys.modules["numpy"], series.dtype
    if isinstance(kind, numpy.dtype) and kind.kind != "O":
        return series.to_numpy()
    native = getattr(kind, "numpy_dtype", None)
    if native is not None and native.kind in "biuf":
        return _with_missing(series.to_numpy(dtype=native, na_value=0), series.isna().to_numpy())
    return _column(series.to_list())


def _polars_parts(value: Any) -> Parts | None:
    if type(value).__name__ == "DataFrame":
        return [(series.name, _polars_column(series)) for series in value.get_columns()]
    return [("", _polars_column(value))] if type(value).__name__ == "Series" else None


def _polars_column(series: Any) -> Any:
    truth = series.dtype == sys.modules["polars"].Boolean
    if truth or series.dtype.is_integer() or series.dtype.is_float():
        filled = series.fill_null(False if truth else 0) if series.null_count() else series
        return _with_missing(filled.to_numpy(), series.is_null().to_numpy())
    return _column(series.to_list())


def _arrow_parts(value: Any) -> Parts | None:
    arrow = sys.modules["pyarrow"]
    if isinstance(value, (arrow.Table, arrow.RecordBatch)):
        return [(name, _arrow_column(value.column(at))) for at, name in enumerate(value.schema.names)]
    return [("", _arrow_column(value))] if isinstance(value, (arrow.Array, arrow.ChunkedArray)) else None


def _arrow_column(array: Any) -> Any:
    types = sys.modules["pyarrow"].types
    truth = types.is_boolean(array.type)
    if truth or types.is_integer(array.type) or types.is_floating(array.type):
        filled = array.fill_null(False if truth else 0) if array.null_count else array
        return _with_missing(filled.to_numpy(zero_copy_only=False), array.is_null().to_numpy(zero_copy_only=False))
    return _column(array.to_pylist())


def _with_missing(values: Any, missing: Any) -> Any:
    return {"missing": missing, "values": values} if missing.any() else values


def _column(items: list) -> Any:
    """Text, dates and whole numbers as one array of objects; a list if anything else is among them."""
    kinds = {*map(type, items)}
    if float in kinds:
        items = [None if type(item) is float and item != item else item for item in items]
        kinds = {*map(type, items)}
    if not all(map(_is_exact_kind, kinds)):
        return items
    column = sys.modules["numpy"].empty(len(items), dtype=object)
    column[:] = items
    return column


def _stored_values(value: Any) -> Any:
    if is_tensor(value):
        value = value.detach()
        return value._values() if value.layout == sys.modules["torch"].sparse_coo else value.values()
    return value.data if is_array(getattr(value, "data", None)) and value.data.dtype.kind != "O" else None


def _sparse_layouts() -> tuple[Any, ...]:
    torch = sys.modules["torch"]
    return torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc


def _is_own(value: object, module: str) -> bool:
    """Is it of a type that this module of the library itself has?"""
    return type(value) is getattr(sys.modules.get(module), type(value).__name__, None)
