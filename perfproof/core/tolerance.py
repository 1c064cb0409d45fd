"""Default tolerances, by the type of the output, for pairs that declare none.

`rtol` is for each element; `atol` is multiplied by the root mean square of the right answer, because elements next to
zero have the rounding of the large terms that cancelled in them: a product of matrices has many of those.
"""

from typing import Any

LOWERED = "lowered"  # among the values of a tolerance: the spacing of the lower precision that is declared
SCALED = "scaled"  # in a tolerance: `atol` is relative to the RMS of the answer
FLOAT64 = dict(rtol=1e-9, atol=1e-10)
FLOAT32 = dict(rtol=1e-4, atol=1e-5)
FLOAT16 = dict(rtol=1e-2, atol=1e-3)
BFLOAT16 = dict(rtol=2e-2, atol=1e-2)
FLOAT8 = dict(rtol=0.25, atol=0.1)
DEFAULT_TOLERANCE: dict[str, Any] = {
    SCALED: True,
    "float64": FLOAT64,
    "longdouble": FLOAT64,
    "float128": FLOAT64,
    "float32": FLOAT32,
    "float16": FLOAT16,
    "bfloat16": BFLOAT16,
    "float8_e4m3fn": FLOAT8,
    "float8_e5m2": FLOAT8,
    "complex128": FLOAT64,
    "complex64": FLOAT32,
    "float": FLOAT32,  # a number of Python may have been computed in float32
    "complex": FLOAT32,
}
