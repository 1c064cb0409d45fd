"""Operations of a step and their share of the peak, worked out on paper: four steps of 1000 µs, two of them steady."""

import pytest

from perfproof.core.ceilings import Ceilings
from perfproof.core.events import Kind
from perfproof.diagnose.step_work import step_work
from perfproof.machine import datasheet
from tests.diagnose.building import Program, evidence_of

SHAPES = {"Input Dims": [[512, 1024], [1024, 256]], "Input type": ["c10::BFloat16", "c10::BFloat16"]}
FLOPS = 2 * 512 * 1024 * 256


def a_program(args=SHAPES, card="NVIDIA H200", **more):
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 10, 20, args=args)
    program.busy(100, 900)
    program.events.about["deviceProperties"] = [{"name": card}]
    for name in more.get("beside", ()):
        program.each_step(Kind.OPERATOR, name, 30, 40)
    return evidence_of(program).traces[0]


def test_the_share_is_of_the_data_sheets_peak_of_the_type():
    found = step_work(a_program(), None)
    assert found.flops == FLOPS and found.operators[0].calls == 1 and found.operators[0].dtype == "bf16"
    assert found.mfu == pytest.approx(FLOPS / datasheet.find("NVIDIA H200").flops["bf16"] / 1e-3)
    assert "data sheet" in found.basis


def test_operators_that_compute_and_are_not_counted_are_named():
    found = step_work(
        a_program(beside=("aten::convolution", "aten::_scaled_dot_product_flash_attention", "aten::view")), None
    )
    assert found.uncounted == ["aten::_scaled_dot_product_flash_attention", "aten::convolution"]


def test_without_a_peak_the_share_is_unknown_and_the_operations_are_not():
    found = step_work(a_program(card="some card"), None)
    assert found.mfu is None and "perfproof peak" in found.basis and found.flops == FLOPS


def test_a_share_above_the_peak_is_no_share():
    large = {"Input Dims": [[32768, 8192], [8192, 32768]], "Input type": ["float", "float"]}
    found = step_work(a_program(args=large), None)
    assert found.mfu is None and "tf32" in found.basis


def test_without_shapes_there_is_nothing_to_count():
    assert step_work(a_program(args=None), None) is None


def test_ceilings_of_another_kind_of_device_are_not_used():
    ceilings = Ceilings.model_construct(device="cpu", ceilings=[])
    assert "data sheet" in step_work(a_program(), ceilings).basis


def test_behind_the_host_products_count_by_the_kernels_that_they_launched():
    program = Program()
    for number, base in enumerate(program.starts(), 1):  # the host has called all of them in the first step
        program.add(Kind.OPERATOR, "aten::mm", 10 * number, 10 * number + 5, args=SHAPES, external=number)
        program.work(base + 100, base + 900, external=number)
    program.events.about["deviceProperties"] = [{"name": "NVIDIA H200"}]
    found = step_work(evidence_of(program).traces[0], None)
    assert found.flops == FLOPS and found.operators[0].calls == 1
