import math

import pytest

from perfproof.core.documents import RatioResult
from perfproof.stats.judgement import Judgement
from perfproof.stats.units import interval
from perfproof.stats.verdicts import judge


def test_every_field_of_a_judgement_is_one_of_the_stored_result():
    units = [math.log(1.9)] * 12 + [math.log(0.06)] * 2
    judgement = judge(
        units, beta=0.002, process_errors=[0.003] * 28, twin=interval([0.0] * 14), typical=[math.log(1.5)] * 14
    )
    stored = RatioResult(**judgement.fields(), launches=14, processes=28)
    assert (stored.verdict, stored.ratio, stored.units) == ("unstable", judgement.ratio, units)
    assert [mode.launches for mode in stored.modes] == [2, 12]
    assert (stored.typical, stored.typical_low, stored.typical_high) == (pytest.approx(1.5),) * 3
    assert RatioResult.model_validate_json(stored.model_dump_json()) == stored


def test_a_judgement_that_makes_no_figures_leaves_those_of_its_caller_alone():
    assert not {"baseline", "variant"} & judge([0.1] * 8, beta=0.002).fields().keys()
    assert RatioResult(**Judgement("same").fields(), baseline=2.0, variant=1.0).baseline == 2.0
    made = Judgement("better", ratio=2.0, baseline=4.0, variant=2.0).fields()
    assert (made["baseline"], made["variant"]) == (4.0, 2.0)


def test_a_judgement_without_numbers_can_be_stored_too():
    assert RatioResult(**Judgement("inconclusive", note="no complete couple").fields()).ratio is None
