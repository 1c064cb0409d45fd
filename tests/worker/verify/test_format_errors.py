"""Two formats of one tensor: rounding by hand, files, and files that hold more than tensors."""

import json
import pickle

import numpy
import pytest
import torch

from perfproof.worker.verify.format_errors import Refused, compare, main, stored

ASKED = dict(file=None, first="fp64", second="bf16", key="", elements=1000, seed=0, group=0, scale=False)


def ask(**more):
    return compare({**ASKED, **more})


@pytest.fixture
def saved(tmp_path):
    """saved(values, "x.npy") gives the path."""

    def save(values, name="x.npy"):
        path = tmp_path / name
        if name.endswith(".npy"):
            numpy.save(path, numpy.asarray(values))
        else:
            torch.save(values, path)
        return str(path)

    return save


def test_one_rounding_by_hand(saved):
    """bfloat16 has 7 bits after the point: 1.01 becomes 1.0078125, between 1 and 2 its spacing is 1/128."""
    found = ask(file=saved([1.0, 1.01, -2.0]))
    assert found["max_absolute"] == pytest.approx(1.01 - 1.0078125)
    assert (found["worst_index"], found["worst_second"]) == ([1], 1.0078125)
    assert found["max_ulp"] == pytest.approx((1.01 - 1.0078125) * 128)
    assert (found["exact"], found["histogram"]) == (2, [[-3, 1]])


def test_the_worst_index_is_that_of_the_shape(saved):
    values = numpy.ones((3, 4))
    values[2, 1] = 1.003
    assert ask(file=saved(values))["worst_index"] == [2, 1]


@pytest.mark.parametrize("second", ["fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"])
def test_rounding_to_nearest_is_never_off_by_more_than_half_a_spacing(second):
    found = ask(second=second)
    assert 0 < found["max_ulp"] <= 0.5 and found["ulp_of"] == second
    assert 0.99 < found["cosine"] <= 1


def test_fewer_bits_lose_more():
    noise = [ask(second=name)["rms_relative"] for name in ("fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2")]
    assert noise == sorted(noise)


def test_the_same_format_twice_has_no_error():
    found = ask(first="bf16", second="bf16")
    assert (found["max_absolute"], found["signal_to_noise"], found["exact"]) == (0.0, None, 1000)


def test_what_is_beyond_the_range_is_clamped_and_counted(saved):
    found = ask(file=saved([1.0, 1000.0]), second="fp8_e4m3")
    assert (found["clamped"], found["worst_second"]) == (1, 448.0)
    assert ask(file=saved([1.0, 1000.0]), second="fp8_e4m3", scale=True)["clamped"] == 0


def test_small_numbers_that_vanish_are_counted(saved):
    assert ask(file=saved([1.0, 1e-9]), second="fp16")["lost_to_zero"] == 1


def test_nan_and_infinity_are_counted_and_enter_no_statistic(saved):
    found = ask(file=saved([1.0, numpy.nan, numpy.inf]))
    assert (found["not_finite"], found["max_absolute"]) == (2, 0.0)


def test_integers_have_one_scale_or_one_a_group():
    values = torch.tensor([127.0, 1.4, 0.014, 0.01], dtype=torch.float64)
    assert stored(values, "int8", 0, False)[0].tolist() == [127.0, 1.0, 0.0, 0.0]
    fine = stored(values, "int8", 2, False)[0]
    assert fine[2].item() == pytest.approx(0.014)


def test_four_bits_take_the_nearest_of_eight_numbers():
    """With 6 as the largest of a group the scale of MXFP4 is 1; ties go to the even neighbour."""
    values = torch.tensor([6.0, 5.1, 4.9, 2.5, 0.25, -1.2], dtype=torch.float64)
    assert stored(values, "mxfp4", 0, False)[0].tolist() == [6.0, 6.0, 4.0, 2.0, 0.0, -1.0]


def test_a_finer_scale_loses_less_than_a_power_of_two():
    assert ask(second="nvfp4")["rms_relative"] < ask(second="mxfp4")["rms_relative"]


def test_a_tensor_of_a_dictionary_is_named_by_its_key(saved):
    path = saved({"a": torch.ones(2), "b": torch.tensor([1.003])}, "x.pt")
    assert ask(file=path, key="b")["elements"] == 1
    with pytest.raises(Refused, match="holds 2 tensors; name one with --key: a, b"):
        ask(file=path)


class Harmful:
    def __reduce__(self):
        return (exec, ("import pathlib; pathlib.Path(__import__('os').environ['MARK']).write_text('executed')",))


@pytest.mark.parametrize("how", ["torch", "pickle", "numpy"])
def test_a_file_that_would_execute_something_is_refused_and_does_not(tmp_path, monkeypatch, how):
    mark, path = tmp_path / "mark", tmp_path / ("x.npy" if how == "numpy" else "x.pt")
    monkeypatch.setenv("MARK", str(mark))
    if how == "torch":
        torch.save({"w": torch.ones(2), "x": Harmful()}, path)
    elif how == "pickle":
        path.write_bytes(pickle.dumps(Harmful()))
    else:
        numpy.save(path, numpy.array([Harmful()], dtype=object), allow_pickle=True)
    with pytest.raises(Refused):
        ask(file=str(path))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("x.npy", b"", "cannot be read"),
        ("x.npy", b"nonsense", "cannot be read"),
        ("x.pt", b"nonsense", "x.pt"),
        ("x.txt", b"1", "neither .npy nor .pt"),
    ],
)
def test_broken_files_are_refused(tmp_path, name, content, text):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(Refused, match=text):
        ask(file=str(path))


@pytest.mark.parametrize("values", [[1, 2], []])
def test_whole_numbers_and_nothing_are_refused(saved, values):
    with pytest.raises(Refused, match="floating-point"):
        ask(file=saved(numpy.array(values, dtype="int64")))


def test_the_answer_is_one_line_of_json(capsys):
    assert main(json.dumps({**ASKED, "second": "fp7"})) == 0
    assert "'fp7' is unknown" in json.loads(capsys.readouterr().out)["refused"]
    main(json.dumps(ASKED))
    assert json.loads(capsys.readouterr().out)["errors"]["elements"] == 1000


@pytest.mark.parametrize("second", ["fp8_e4m3", "fp8_e5m2", "fp16"])
def test_a_scaled_tensor_is_rounded_to_half_a_spacing_of_the_scaled_format(second):
    """448/largest is no power of two: the spacing at the element that was given would be another one."""
    asked = dict(file=None, first="fp64", second=second, key="", elements=50_000, seed=3, group=0, scale=True)
    assert 0.49 < compare(asked)["max_ulp"] <= 0.501  # torch rounds by way of fp32
