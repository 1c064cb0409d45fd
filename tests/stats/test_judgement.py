import math

from perfproof.core.documents import RatioResult
from perfproof.stats.judgement import Judgement
from perfproof.stats.units import interval
from perfproof.stats.verdicts import judge


def test_every_field_of_a_judgement_is_one_of_the_stored_result():
    units = [math.log(1.9)] * 12 + [math.log(0.06)] * 2
    judgement = judge(units, beta=0.002, process_errors=[0.003] * 28, twin=interval([0.0] * 14))
    stored = RatioResult(**judgement.fields(), launches=14, processes=28)
    assert (stored.verdict, stored.ratio, stored.units) == ("unstable", judgement.ratio, units)
    assert [mode.launches for mode in stored.modes] == [2, 12]
    assert RatioResult.model_validate_json(stored.model_dump_json()) == stored


def test_a_judgement_without_numbers_can_be_stored_too():
    assert RatioResult(**Judgement("inconclusive", note="no complete couple").fields()).ratio is None
