"""The page of a comparison of formats, from what a worker found."""

from dataclasses import replace

from perfproof.calc.calculators.precision import calculate
from perfproof.calc.tensor_errors import TensorErrors

FOUND = TensorErrors(
    source="x.npy",
    first="fp32",
    second="fp8_e4m3",
    elements=100,
    max_absolute=0.5,
    worst_index=(3, 4),
    worst_first=1000.0,
    worst_second=448.0,
    mean_absolute=0.1,
    max_relative=0.06,
    rms_relative=0.03,
    max_ulp=0.5,
    ulp_of="fp8_e4m3",
    cosine=0.999,
    signal_to_noise=30.0,
    lost_to_zero=2,
    clamped=0,
    not_finite=0,
    exact=10,
    histogram=((-3, 40), (-2, 50)),
)


def test_the_histogram_has_a_row_for_exact_elements_and_one_a_power_of_ten():
    table = calculate(FOUND).tables[0]
    assert table.rows == (("none", 10, 0.1), ("1e-3 to 1e-2", 40, 0.4), ("1e-2 to 1e-1", 50, 0.5))


def test_the_worst_element_is_named_with_its_place():
    answer = calculate(FOUND)
    assert "[3, 4]" in next(one.note for one in answer.values if one.name == "max_absolute")
    assert (answer.get("worst_first"), answer.get("worst_second")) == (1000.0, 448.0)


def test_clamped_and_infinite_elements_are_warned_of():
    assert calculate(FOUND).warnings == ()
    texts = " ".join(calculate(replace(FOUND, clamped=3, not_finite=4)).warnings)
    assert "3 elements lie beyond" in texts and "4 elements are not finite" in texts


def test_formats_without_a_spacing_say_why_there_are_no_ulps():
    answer = calculate(replace(FOUND, second="int8", ulp_of="int8", max_ulp=None))
    assert answer.get("max_ulp") is None
    assert "one step for all" in next(one.note for one in answer.values if one.name == "max_ulp")
