"""Calls of a line that do far more than is needed, as their arguments tell.

- `random_state.choice(population, few, replace=False)` of NumPy's older generator permutes the whole population;
- `torch.tensor(list_of_arrays)` takes one number after the other out of the arrays;
- a condition of SQL with a function around the column (`WHERE lower(email) = ?`), or LIKE '%...', cannot use an index;
- a distribution of scipy.stats that is asked about few values at a time mostly checks its arguments;
- `numpy.einsum` of three arrays or more runs one loop over all indices, unless it is told to optimize;
- a logger that gets another handler with each call formats each record once per handler.
"""

import re
from collections.abc import Callable
from types import FrameType
from typing import Any

PERMUTES, FROM_ARRAYS = "[misused] choice without replacement", "[misused] tensor from arrays"
NO_INDEX, FEW_VALUES = "[misused] column in a function", "[misused] few values"
MORE_HANDLERS, ALL_INDICES = "[misused] more and more handlers", "[misused] einsum over all indices"
LASTS = "[misused] it has not ended since the sampler asked for a look"
POPULATION, TIMES = 5_000, 10  # elements; as many as are drawn
ARRAYS = 8  # of a list
FEW = 1_000  # values
FEWEST_HANDLERS, ADDED = 8, 4  # of a logger; while it was looked at
MODULE = "numpy.random"
TENSORS = frozenset({"tensor", "as_tensor", "FloatTensor", "LongTensor", "DoubleTensor", "Tensor"})
MAKES = frozenset({"__call__", "freeze", "__init__"})
STATISTICS = ("stats/_distn_infrastructure.py",)
STATEMENTS = frozenset({"execute", "read_sql", "read_sql_query", "text", "exec_driver_sql"})
FETCHES = frozenset({"fetchall", "fetchone", "fetchmany"})
# A function of one column alone, which is compared with a value: `date(sold_at) = ?`, `lower(t.email) LIKE ?`.
COMPARED = re.compile(
    r"\b(?:where|and|or|on|not)\s+\(*\s*(?:lower|upper|date|datetime|time|strftime|year|month|day|trim|ltrim|rtrim|substr|"
    r"substring|left|right|cast|coalesce|ifnull|nullif|abs|round|length|replace|hex|date_trunc|extract|to_char|julianday|"
    r"unixepoch|concat|printf|json_extract)\s*\((?:[^()?]|\([^()?]*\))*[a-z_]\w*(?:[^()?]|\([^()?]*\))*\)\s*"
    r"(?:=|<|>|!=|\bin\b|\blike\b|\bbetween\b|\bis\b)",
    re.IGNORECASE,
)
BEGINS_OPEN = re.compile(r"\blike\s+(?:'%|\"%|lower\('%)", re.IGNORECASE)
QUOTED = re.compile(r"'[^']*'")
# A plain column that is compared with a value: its index may do.
PLAIN = re.compile(r"(?<![\w.(])[a-z_][\w.]*\s*(?:=|<|>|<=|>=|\bin\b\s*\()\s*(?:\?|:|%s|\$|@|'')", re.IGNORECASE)
FILTERS = re.compile(r"\b(?:select|update|delete)\b.*\bwhere\b", re.IGNORECASE | re.DOTALL)


def marks(library_frames: list[FrameType], calls: list[Any], around: Callable[[], list[Any]]) -> list[str]:
    """For the frames beneath the program's innermost one, the calls that its line makes, and those of its function."""
    found = [mark for mark, fits in FITS.items() if any(fits(call) for call in calls)]
    if NO_INDEX not in found and any(call.name in FETCHES for call in calls):
        statements = [one for call in around() if (one := _statement(call))]  # a cursor's is on an earlier line
        found += [NO_INDEX] if statements and all(map(cannot_use_index, statements)) else []
    outer = next((one for one in library_frames if _is_of(one, STATISTICS)), None)
    return [*found, FEW_VALUES] if outer is not None and _asks_for_few(outer) else found


def _permutes(call: Any) -> bool:
    """The newer numpy.random.Generator does not."""
    kind = type(call.receiver)
    is_old = kind.__name__ == "RandomState" or getattr(call.receiver, "__name__", "") == MODULE
    if call.name != "choice" or not is_old or not call.arguments:
        return False
    given = dict(enumerate(call.arguments))
    population = _length(given[0])
    drawn = _length(call.keywords.get("size", given.get(1)))
    replaced = call.keywords.get("replace", given.get(2, True))
    weighed = call.keywords.get("p", given.get(3))
    return replaced is False and weighed is None and population >= max(POPULATION, TIMES * drawn) and drawn > 0


def _length(value: Any) -> int:
    if type(value) is int:
        return value
    is_array = type(value).__name__ == "ndarray" and value.ndim
    return len(value) if is_array or type(value) in (list, tuple, range) else 0


def _is_from_arrays(call: Any) -> bool:
    given = call.arguments[0] if call.arguments else None
    if call.name not in TENSORS or getattr(call.receiver, "__name__", "") != "torch" or type(given) is not list:
        return False
    return len(given) >= ARRAYS and type(given[0]).__name__ == "ndarray" and given[0].size >= ARRAYS


def _has_no_index(call: Any) -> bool:
    """Nothing of the statement is kept."""
    return cannot_use_index(_statement(call))


def _statement(call: Any) -> str:
    given = call.arguments[0] if call.name in STATEMENTS and call.arguments else ""
    return given if isinstance(given, str) else " ".join(call.texts)


def cannot_use_index(statement: str) -> bool:
    if not FILTERS.search(statement):
        return False
    condition = re.split(r"\bwhere\b", statement, maxsplit=1, flags=re.IGNORECASE)[1]
    bare = QUOTED.sub("''", condition)
    return not PLAIN.search(bare) and bool(COMPARED.search(f"where {bare}") or BEGINS_OPEN.search(condition))


def _asks_for_few(frame: FrameType) -> bool:
    """The outermost of the library: it has the values as they were given, or makes a distribution."""
    known = frame.f_locals
    if frame.f_code.co_name in MAKES:
        return True
    if frame.f_code.co_name == "rvs":
        return "size" in known and (known["size"] is None or (type(known["size"]) is int and known["size"] <= FEW))
    asked = next((known[name] for name in ("x", "q", "k") if name in known), None)
    return isinstance(asked, int | float) or 0 < getattr(asked, "size", FEW + 1) <= FEW


def _is_of(frame: FrameType, files: tuple[str, ...]) -> bool:
    return frame.f_code.co_filename.replace("\\", "/").endswith(files)


def _loops_over_all_indices(call: Any) -> bool:
    """torch.einsum takes two at a time."""
    given = call.arguments[0] if call.arguments else ""
    if call.name != "einsum" or getattr(call.receiver, "__name__", "") != "numpy" or not isinstance(given, str):
        return False
    return given.count(",") >= 2 and not call.keywords.get("optimize", False)


FITS = {
    ALL_INDICES: _loops_over_all_indices,
    PERMUTES: _permutes,
    FROM_ARRAYS: _is_from_arrays,
    NO_INDEX: _has_no_index,
}


class Handlers:
    """Remembers how many handlers loggers had."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}

    def mark(self, library_frames: list[FrameType]) -> list[str]:
        for frame in library_frames:
            if frame.f_code.co_name == "callHandlers" and frame.f_globals.get("__name__") == "logging":
                logger = frame.f_locals.get("self")
                count = len(getattr(logger, "handlers", ()))
                first = self._first.setdefault(str(getattr(logger, "name", "")), count)
                return [MORE_HANDLERS] if count >= max(FEWEST_HANDLERS, first + ADDED) else []
        return []
