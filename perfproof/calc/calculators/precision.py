"""Compare two number formats on real or random data: how much is lost, where, and how the errors lie.

error        |a - b| in double precision, absolute and relative to |a|; its histogram by powers of ten
ULP          error over the spacing of the coarser format at |a|: 0.5 is perfect rounding
cosine       a·b/(|a||b|)
signal/noise 10·log10(Σa²/Σ(a - b)²) dB

a is the tensor in the first format, b in the second. FILE is .npy or .pt (tensors only: nothing in it is executed);
without it, normal random numbers. With OTHER, two saved outputs are compared as they are. int8 and int4 are rounded
with one scale per tensor or group; fp8 clamps to its range.
"""

from perfproof.calc.answer import Answer, Table, Value
from perfproof.calc.tensor_errors import TensorErrors


def calculate(errors: TensorErrors) -> Answer:
    values = [
        Value("elements", errors.elements, "", errors.source),
        Value("max_absolute", errors.max_absolute, "", f"at {list(errors.worst_index)}"),
        Value("worst_first", errors.worst_first, "", f"in {errors.first}, there"),
        Value("worst_second", errors.worst_second, "", f"in {errors.second}, there"),
        Value("mean_absolute", errors.mean_absolute),
        Value("max_relative", errors.max_relative, "", "over elements that are not zero"),
        Value("rms_relative", errors.rms_relative, "", "norm of the error over the norm of the tensor"),
        Value("max_ulp", errors.max_ulp, "ulp", _ulp_note(errors)),
        Value("cosine", errors.cosine),
        Value(
            "signal_to_noise",
            errors.signal_to_noise,
            "dB",
            "" if errors.signal_to_noise is not None else "no error at all",
        ),
        Value("lost_to_zero", errors.lost_to_zero, "", "not zero before, zero after"),
        Value("clamped", errors.clamped, "", "beyond the range of the format"),
        Value("not_finite", errors.not_finite, "", "NaN or infinite in either"),
    ]
    rows = tuple((f"1e{power} to 1e{power + 1}", count, count / errors.elements) for power, count in errors.histogram)
    exact = (("none", errors.exact, errors.exact / errors.elements),) if errors.exact else ()
    table = Table("relative error", (("from", ""), ("elements", ""), ("share", "share")), (*exact, *rows))
    found = f"relative error {errors.rms_relative:.3g} (rms), cosine {errors.cosine:.8f}"
    headline = f"{errors.first} against {errors.second}: {found}"
    return Answer(headline, tuple(values), (table,), _warn(errors))


def _ulp_note(errors: TensorErrors) -> str:
    return (
        f"of {errors.ulp_of}"
        if errors.max_ulp is not None
        else f"{errors.ulp_of} has one step for all: see max_absolute"
    )


def _warn(errors: TensorErrors) -> tuple[str, ...]:
    found = []
    if errors.not_finite:
        found.append(f"{errors.not_finite} elements are not finite and enter no statistic")
    if errors.clamped:
        found.append(f"{errors.clamped} elements lie beyond the range of the format: scale the tensor first (--scale)")
    return tuple(found)
