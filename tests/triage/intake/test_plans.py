"""Which plans a form leaves possible."""

import pytest

from perfproof.calc.step_time import Plan
from perfproof.core.intake import Intake, Software
from perfproof.triage.intake.plans import gpus_of, possible_plans, weights_over, written_replica


def intake(**sections):
    return Intake.model_validate(dict(goal=dict(summary="s", kind="inference", kpi="k"), **sections))


@pytest.mark.parametrize(
    ("given", "gpus", "found"),
    [
        (dict(tensor_parallel=2, pipeline_parallel=2, data_parallel=2), 8, {(2, 2, 2)}),
        (dict(tensor_parallel=2, data_parallel=2), 8, {(2, 2, 2)}),
        (dict(tensor_parallel=2), 8, {(2, 1, 4), (2, 2, 2), (2, 4, 1)}),
        ({}, 4, {(4, 1, 1), (1, 4, 1), (1, 1, 4), (2, 2, 1), (2, 1, 2), (1, 2, 2)}),
        (dict(tensor_parallel=16), 8, {(16, 1, 1)}),  # more than there are: said elsewhere
        (dict(tensor_parallel=3), 8, {(3, 2, 1), (3, 1, 2)}),  # two GPUs stay idle
    ],
)
def test_gpus_that_are_left_go_to_any_empty_field(given, gpus, found):
    plans = possible_plans(Software(**given), gpus)
    assert len(plans) == len(found) and {(plan.tp, plan.pp, plan.dp) for plan in plans} == found


def test_gpus_are_counted_by_the_form_else_by_a_plan_that_is_whole():
    assert gpus_of(intake(hardware=dict(gpus_per_node=8, nodes=2))) == 16
    assert gpus_of(intake(hardware=dict(gpus_per_node=8))) == 8
    assert gpus_of(intake(software=dict(tensor_parallel=4, pipeline_parallel=2))) == 8
    assert gpus_of(intake(software=dict(tensor_parallel=4))) is None
    assert gpus_of(intake(hardware=dict(gpus_per_node=0))) is None


def test_data_parallel_ranks_divide_weights_where_they_may():
    plan = Plan(tp=2, pp=2, dp=2)
    assert weights_over(Software(), plan, can_share=False) == 4
    assert weights_over(Software(), plan, can_share=True) == 8
    assert weights_over(Software(data_parallel=2), plan, can_share=False) == 8


def test_a_written_replica_is_what_an_engine_would_make_of_it():
    assert written_replica(Software(), 8) == 8
    assert written_replica(Software(data_parallel=4), 8) == 2
    assert written_replica(Software(tensor_parallel=2), 8) == 2
