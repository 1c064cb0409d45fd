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
    "float": FLOAT32,  # a number of Python, if float32 data is among the arguments; else that of float64
    "complex": FLOAT32,
}
# Spacings of a lower precision that an element may be off by: beside itself, and beside the RMS of the answer. Factors
# that are rounded to it give sums with an error of 0.3 spacings of the RMS, and one in a million of 1.5.
SINGLE = 2.0**-23
OWN_SPACINGS, SPACINGS, COARSEST = 2.0, 3.0, 0.25  # of a coarser format most wrong answers would pass


def for_format(tolerance: dict[str, Any], spacing: float) -> dict[str, Any]:
    """The defaults for variants that may compute in a format of this spacing; a declared tolerance as it is."""
    if not tolerance.get(SCALED):
        return tolerance
    least = dict(rtol=min(OWN_SPACINGS * spacing, COARSEST), atol=min(SPACINGS * spacing, COARSEST))
    if spacing == SINGLE:  # as for a result of that type: functions like GELU lose some digits where terms cancel
        least = FLOAT32
    return {
        name: {key: max(value, least[key]) for key, value in one.items()} if isinstance(one, dict) else one
        for name, one in tolerance.items()
    }
