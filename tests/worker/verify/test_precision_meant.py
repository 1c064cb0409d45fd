"""Which wrong answers look like those of a lower precision."""

import pytest
import torch

from perfproof.worker.verify.compare import answer_difference
from perfproof.worker.verify.precision_meant import meant


@pytest.mark.parametrize(
    ("answer", "is_rounding"),
    [
        (lambda x: x.bfloat16().float(), True),
        (lambda x: (x.half() * 3).float() / 3, True),
        (lambda x: torch.cat([x[:-1], x[-1:] + 0.01]), False),
        (lambda x: -x, False),
    ],
)
def test_an_error_as_of_a_lower_precision_names_the_way_to_declare_one(answer, is_rounding):
    x = torch.randn(1000)
    apart = answer_difference((answer(x), {}), (x.double(), {}), {"rtol": 1e-5, "atol": 1e-6}, (x,))
    assert apart.problem and ("lowers_precision" in meant(apart, x)) is is_rounding


def test_numbers_of_python_have_one_precision():
    money = [round(1.1 * at, 2) for at in range(1, 99)]
    apart = answer_difference(([one * 1.001 for one in money], {}), (money, {}), {"rtol": 1e-9, "atol": 0.0}, (money,))
    assert apart.problem and meant(apart, money) == ""
