import pytest

from perfproof.pairs import contract


def test_a_valid_pair_is_read_without_running_it(accepted, valid):
    pair = accepted(valid + "\nraise SystemExit('this line must not run')\n")
    assert pair.lesson == "Add in one call."
    assert pair.explanation == "Why it works."
    assert pair.arguments == ("x", "weight")
    assert pair.workload == {"rows": 4096, "cols": 64}
    assert pair.sides == ("baseline", "optimized")
    assert pair.imports == ("torch",)
    assert pair.path.is_absolute()
    assert len(pair.source_sha256) == 64


def test_what_is_not_declared_has_its_default(accepted, changed):
    pair = accepted(changed("workload_cpu = dict(rows=512, cols=64)\nsmoke = dict(rows=5, cols=7)\n", ""))
    assert pair.workload_cpu is None and pair.smoke is None and pair.sweep is None
    assert (pair.claim, pair.clock, pair.ranks, pair.needs) == ("time", "call", 1, {})
    assert (pair.constant, pair.mutates, pair.cold, pair.menu, pair.counters) == ((), (), (), (), ())
    assert not pair.tour and (pair.lowers_precision, pair.domain, pair.layout) == ("", {}, "")
    assert pair.distribution is False


def test_every_optional_declaration_is_read(accepted, valid):
    text = valid + (
        'sweep = dict(rows=[1, 2])\nconstant = ("weight",)\nmutates = ["x"]\ncold = ("x",)\n'
        'lowers_precision = "bf16"\ndomain = dict(x=(0, 1.0), weight="drawn")  # shares\nlayout = "any"  # summed\n'
        'claim = "memory"\nclock = "latency"\nneeds = dict(cuda=9.0, sm="90a", gpus=2, packages=["kvikio"], numa=2)\n'
        'ranks = 2\ntour = True\ndistribution = True\nmenu = ("training", "input-bound")\ncounters = ("dram_bytes",)\n'
    )
    pair = accepted(text)
    assert pair.sweep == {"rows": [1, 2]}
    assert (pair.constant, pair.mutates, pair.cold) == (("weight",), ("x",), ("x",))
    assert pair.needs == {"cuda": 9.0, "sm": "90a", "gpus": 2, "packages": ["kvikio"], "numa": 2}
    assert (pair.claim, pair.clock, pair.ranks) == ("memory", "latency", 2)
    assert pair.tour and pair.distribution and (pair.lowers_precision, pair.layout) == ("bf16", "any")
    assert pair.domain == {"x": (0, 1.0), "weight": "drawn"}
    assert (pair.menu, pair.counters) == (("training", "input-bound"), ("dram_bytes",))


def test_declarations_may_use_arithmetic_and_constants_above(accepted, changed):
    pair = accepted(
        changed("workload = dict(rows=4096, cols=64)", "ROWS, COLS = 2**12, 64\nworkload = dict(rows=ROWS, cols=COLS)")
    )
    assert pair.workload == {"rows": 4096, "cols": 64}


def test_variants_keep_the_order_of_the_file(accepted, valid):
    text = valid.replace(
        "def cost",
        "def optimized_b(x, weight):\n    return x\n\n\ndef optimized_a(x, weight):\n    return x\n\n\ndef cost",
    )
    assert accepted(text).variants == ("optimized", "optimized_b", "optimized_a")


def test_a_named_variant_is_enough(accepted, changed):
    assert accepted(changed("def optimized(", "def optimized_fused(")).variants == ("optimized_fused",)


def test_a_prepared_side_takes_one_more_argument_first(accepted, changed):
    text = changed(
        "def optimized(x, weight)",
        "def prepare_optimized(x, weight):\n    return 1\n\n\ndef optimized(packed, x, weight)",
    )
    assert accepted(text).prepares == ("optimized",)


def test_the_baseline_may_be_prepared(accepted, changed):
    text = changed(
        "def baseline(x, weight)", "def prepare_baseline(x, weight):\n    return 1\n\n\ndef baseline(packed, x, weight)"
    )
    assert accepted(text).prepares == ("baseline",)


@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("workload", "workload = dict(rows=4096, cols=64)\n"),
        ("tolerance", "tolerance = dict(rtol=1e-5, atol=1e-6)  # one rounding of float32\n"),
        ("tier", 'tier = "idiomatic"\n'),
        ("inputs", "def inputs(rows, cols):\n    return torch.randn(rows, cols), torch.randn(cols)\n"),
        ("reference", "def reference(x, weight):\n    return x.double() + weight.double()\n"),
        ("baseline", "def baseline(x, weight):\n    return x + 1.0 * weight\n"),
        ("optimized", "def optimized(x, weight):\n    return x + weight\n"),
        ("cost", "def cost(rows, cols):\n    return dict(flops=rows * cols, bytes=8 * rows * cols)\n"),
    ],
)
def test_a_missing_name_says_what_to_add(refused, changed, name, old):
    message = refused(changed(old, ""))
    assert f": no `{name}`; add " in message


def test_the_same_name_twice_is_refused(refused, valid):
    message = refused(valid + "\n\ndef baseline(x, weight):\n    return x\n")
    assert "`baseline` is defined twice, on lines 25 and 37; keep one" in message


def test_a_declaration_changed_in_place_is_refused(refused, changed):
    message = refused(changed('tier = "idiomatic"', 'tier = "idiomatic"\nworkload["rows"] = 8'))
    assert "`workload` is defined twice" in message


def test_a_declaration_inside_an_if_is_refused(refused, changed):
    message = refused(changed('tier = "idiomatic"', 'if EPS:\n    tier = "idiomatic"'))
    assert message == ":14: `tier` is inside an `if`; write `tier = ...` at the top level of the file"


def test_an_imported_contract_name_is_refused(refused, changed):
    text = changed(
        "def cost(rows, cols):\n    return dict(flops=rows * cols, bytes=8 * rows * cols)\n", "from costs import cost\n"
    )
    assert "`cost` is an import; write `def cost(...):` at the top level" in refused(text)


def test_a_function_given_as_a_value_is_refused(refused, changed):
    text = changed("def optimized(x, weight):\n    return x + weight\n", "optimized = torch.compile(baseline)\n")
    assert "`optimized` is a value; write `def optimized(...):`" in refused(text)


def test_a_variant_that_is_a_number_is_refused(refused, valid):
    assert "`optimized_tile` is a value; write `def optimized_tile(...):`" in refused(valid + "optimized_tile = 64\n")


def test_a_declaration_that_is_a_function_is_refused(refused, changed):
    message = refused(changed('tier = "idiomatic"', 'def tier():\n    return "naive"'))
    assert "`tier` is a function; write `tier = ...`" in message


def test_a_computed_declaration_is_refused_with_what_computes_it(refused, changed):
    message = refused(changed("dict(rows=4096, cols=64)", "dict(rows=max(1, 2), cols=64)"))
    assert message.startswith(":10: `workload` must be a literal or plain arithmetic, but it calls `max`")
    assert message.endswith("; write the value itself")


def test_preparation_for_a_side_that_does_not_exist_is_refused(refused, valid):
    message = refused(valid + "\n\ndef prepare_optimized_tiled(x, weight):\n    return 1\n")
    assert "`prepare_optimized_tiled` prepares `optimized_tiled`, which is not one of baseline, optimized" in message


def test_the_reference_has_no_preparation(refused, valid):
    assert "prepares `reference`" in refused(valid + "\n\ndef prepare_reference(x, weight):\n    return 1\n")


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_a_file_that_exhausts_the_reader_is_refused_too(refused, valid, monkeypatch, error):
    def exhausted(*_):
        raise error

    monkeypatch.setattr(contract, "read_bindings", exhausted)
    assert refused(valid) == ": is nested too deeply to be read; write it plainly"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("domain = dict(x=(0.0, 1.0))", "`domain` has no reason; say in a comment on its line why the argument has no"),
        ('layout = "any"', "`layout` has no reason; say in a comment on its line why the strides of the result do not"),
        (
            "domain = dict(y=(0.0, 1.0))  # a share",
            "`domain` has 'y', which is no argument; the arguments are (x, weight)",
        ),
    ],
)
def test_what_loosens_a_check_is_about_an_argument_and_has_a_reason(refused, valid, line, said):
    assert said in refused(f"{valid}{line}\n")


def test_a_pair_that_still_says_structured_is_told_that_it_need_not(refused, accepted, valid):
    message = refused(valid + 'structured = ("x",)\n')
    assert message.endswith("`structured` is no longer needed; values are only ever drawn by `inputs` now: remove it")
    accepted(valid + "def structured(x):\n    return x\n\n\ndef helper(x):\n    return structured(x)\n")
