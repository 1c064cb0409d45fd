import pytest

from perfproof.pairs.declarations import ARITHMETIC, complaint
from perfproof.worker.verify.case import FORMATS

RIGHT = [
    ("workload", {}),
    ("workload", {"rows": 4, "scale": 0.5, "causal": True, "dtype": "bfloat16", "mode": "fast"}),
    ("tolerance", {"rtol": 0, "atol": 0.0}),
    ("tolerance", {"float32": {"rtol": 1e-5, "atol": 0}, "bfloat16": {"rtol": 1e-2, "atol": 0}}),
    ("needs", {}),
    ("needs", {"cuda": 8}),
    ("needs", {"sm": "100a"}),
    ("ranks", 1),
    ("constant", ()),
    ("lowers_precision", "fp8_e5m2"),
    ("domain", {"x": (0, float("inf")), "keys": "drawn"}),
    ("layout", "any"),
    ("distribution", True),
]

WRONG = [
    ("workload", [("rows", 4)], "must be a dict of sizes"),
    ("workload", {1: 4}, "must be a dict of sizes"),
    ("workload", {"two\nlines": 4}, "must be a dict of sizes"),
    ("workload", {"rows": None}, "'rows' is None; a size is a number, a string, True or False"),
    ("workload", {"rows": (1, 2)}, "'rows' is (1, 2); a size is"),
    ("workload", {"rows": float("inf")}, "'rows' is not finite"),
    ("smoke", {"dtype": "flaot16"}, "'dtype' is 'flaot16', not a dtype name"),
    ("smoke", {"kv_dtype": 8}, "'kv_dtype' is 8, not a dtype name"),
    ("sweep", [1, 2], "must be a dict of axes"),
    ("sweep", {"rows": 4}, "'rows' must be a list of sizes"),
    ("sweep", {"rows": []}, "'rows' must be a list of sizes"),
    ("sweep", {"rows": [1, None]}, "'rows' is None"),
    ("constant", "weight", 'must be a tuple of names; write `constant = ("weight",)`'),
    ("mutates", (1,), "must be a tuple of names"),
    ("cold", {"path"}, "must be a tuple of names"),
    ("counters", None, "must be a tuple of names"),
    ("tolerance", 1e-5, "must be a dict"),
    ("tolerance", {}, "must be a dict"),
    ("tolerance", {"rtol": 1e-5}, "must have rtol and atol and nothing else, not 'rtol'"),
    ("tolerance", {"rtol": 1e-5, "atol": 0, "extra": 1}, "must have rtol and atol and nothing else"),
    ("tolerance", {"rtol": -1e-5, "atol": 0}, "has rtol = -1e-05; it must be a finite number from 0 up"),
    ("tolerance", {"rtol": 1e-5, "atol": float("inf")}, "has atol = inf"),
    ("tolerance", {"rtol": 1e-5, "atol": True}, "has atol = True"),
    ("tolerance", {"rtol": 1e-5, "atol": "0"}, "has atol = '0'"),
    (
        "tolerance",
        {"flaot16": {"rtol": 0, "atol": 0}},
        "has the key 'flaot16', which is neither rtol, atol nor a dtype",
    ),
    ("tolerance", {"float16": 1e-3}, "has no rtol and atol for float16"),
    ("tolerance", {"float16": {"rtol": 0}}, "for float16 must have rtol and atol"),
    ("lowers_precision", True, 'is True; write "fp32", "tf32", "bf16", "fp16", "fp8", "fp8_e5m2", "fp4", "int8" or'),
    ("lowers_precision", False, 'is False; write "fp32", "tf32"'),
    ("lowers_precision", "bfloat16", 'is \'bfloat16\'; write "fp32", "tf32", "bf16"'),
    ("domain", {}, "must be a dict of arguments; write `dict(x=(0.0, 1.0))` for a range"),
    ("domain", ("x",), "must be a dict of arguments"),
    ("domain", {"x": "positive"}, "has x = 'positive'; write `dict(x=(0.0, 1.0))` for a range, or `dict(keys="),
    ("domain", {"x": (1.0, 0.0)}, "has x = (1.0, 0.0)"),
    ("domain", {"x": (0.0,)}, "has x = (0.0,)"),
    ("domain", {"x": (0, True)}, "has x = (0, True)"),
    ("distribution", "normal", "must be True or False; write `distribution = True`"),
    ("layout", "all", "is 'all'; write `layout = \"any\"`, or remove it"),
    ("tour", "yes", "must be True or False"),
    ("tier", "strawman", 'is \'strawman\'; write "naive", "idiomatic" or "vendor"'),
    ("tier", ["naive"], "is ['naive']; write"),
    ("claim", "speed", 'is \'speed\'; write "time", "memory", "energy" or "startup"'),
    ("clock", "wall", 'is \'wall\'; write "call", "kernel" or "latency"'),
    ("needs", ["cuda"], "must be a dict"),
    ("needs", {"cuda": "9.0"}, "has cuda = '9.0'; write `cuda=9.0"),
    ("needs", {"cuda": 90}, "has cuda = 90; write `cuda=9.0"),
    ("needs", {"cuda": True}, "has cuda = True"),
    ("needs", {"sm": "sm_90"}, "has sm = 'sm_90'; write `sm=\"90a\""),
    ("needs", {"sm": 90}, "has sm = 90"),
    ("needs", {"gpus": 0}, "has gpus = 0; write `gpus=2`"),
    ("needs", {"packages": "kvikio"}, "has packages = 'kvikio'; write `packages=[\"kvikio\"]`"),
    ("needs", {"numa": 1.5}, "has numa = 1.5"),
    ("needs", {"gpu": 2}, "has the key 'gpu'; the keys are cuda, sm, gpus, packages, numa"),
    ("ranks", 0, "must be a whole number from 1 up"),
    ("ranks", True, "must be a whole number from 1 up"),
    ("ranks", 2.0, "must be a whole number from 1 up"),
    ("menu", ("training",), "must be a goal (training, inference, both) and a symptom"),
    ("menu", "training", "must be a goal (training, inference, both) and a symptom"),
    ("menu", ("trianing", "input-bound"), "must be a goal (training, inference, both)"),
]


@pytest.mark.parametrize(("name", "value"), RIGHT)
def test_a_right_value_has_no_complaint(name, value):
    assert complaint(name, value) == ""


@pytest.mark.parametrize(("name", "value", "what"), WRONG)
def test_a_wrong_value_is_named_with_what_to_write(name, value, what):
    said = complaint(name, value)
    assert said.startswith(what)
    assert ";" in said
    assert len(said.splitlines()) == 1


def test_a_complaint_points_at_the_line_of_the_declaration(refused, changed):
    assert refused(changed('tier = "idiomatic"', 'tier = "best"')).startswith(":14: `tier` is 'best'; write ")


def test_every_format_that_can_be_declared_has_a_spacing():
    assert tuple(FORMATS) == ARITHMETIC
