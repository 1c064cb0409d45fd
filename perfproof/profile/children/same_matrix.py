"""Whether a matrix is solved, factorised or inverted that had been so before, from frames that are sampled.

Functions of NumPy and SciPy whose work on a matrix could be kept, for other right-hand sides for instance. The matrix
may be made anew each time: what is compared are its shape, its type and some thousand of its elements.
"""

import hashlib
from types import FrameType
from typing import Any

MARK = "[same matrix] "
DECOMPOSES = frozenset(
    {
        *("solve", "lstsq", "inv", "pinv", "pinvh", "spsolve", "splu", "spilu", "factorized", "cholesky", "cho_factor"),
        *("lu", "lu_factor", "ldl", "qr", "eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals", "schur"),
        *("det", "slogdet", "matrix_rank", "matrix_power", "cond", "expm", "logm", "sqrtm", "solveh_banded"),
        *("eigs", "eigsh", "svds", "cholesky_banded"),
    }
)
LIBRARIES = ("linalg",)  # in the name of a file: numpy.linalg, scipy.linalg, scipy.sparse.linalg
SPARSE = ("data", "indices", "indptr", "row", "col", "offsets")
ALONG, ELEMENTS = 64, 4096  # that are compared, about: along an axis of several, and of a row
MOST_CALLS = 10_000  # that are remembered


class SameMatrix:
    """Remembers the matrices of a program's calls."""

    def __init__(self) -> None:
        self._calls: dict[tuple[str, bytes], tuple[int, int]] = {}  # to the frame and the moment of the first one

    def mark(self, frames: list[tuple[FrameType, bool]], moment: int) -> list[str]:
        """For frames from the outermost, and whether each is the program's; `moment` differs where its lines go on."""
        last = max((place for place, (_, own) in enumerate(frames) if own), default=-1)
        for frame, _ in frames[last + 1 :]:
            code = frame.f_code
            if code.co_name not in DECOMPOSES or not any(one in code.co_filename for one in LIBRARIES):
                continue
            contents = _contents(frame.f_locals.get(code.co_varnames[0])) if code.co_argcount else None
            if contents is None:
                return []
            call, now = (code.co_name, contents), (id(frame), moment)
            first = self._calls.get(call)
            if first is None and len(self._calls) < MOST_CALLS:
                self._calls[call] = now
            return [f"{MARK}{code.co_name}"] if first is not None and first != now else []
        return []


def _contents(matrix: Any) -> bytes | None:
    """A few bytes that stand for the matrix; None if it is no array of numbers."""
    kind = type(matrix)
    if kind.__name__ == "ndarray":
        parts = [matrix]
    elif kind.__module__.startswith("scipy.sparse"):
        parts = [part for name in SPARSE if type(part := getattr(matrix, name, None)).__name__ == "ndarray"]
    else:
        return None
    if not parts or any(part.dtype.hasobject for part in parts):
        return None
    digest = hashlib.blake2b(repr(tuple(matrix.shape)).encode(), digest_size=16)
    for part in parts:
        most = ELEMENTS if part.ndim == 1 else ALONG
        some = part[tuple(slice(None, None, max(1, length // most)) for length in part.shape)]
        digest.update(repr((part.shape, part.dtype.str)).encode() + some.tobytes())
    return digest.digest()
