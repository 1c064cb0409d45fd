import pytest


def test_sizes_and_parameters_of_inputs_must_agree_with_both_lists(refused, changed):
    message = refused(changed("def inputs(rows, cols)", "def inputs(rows, columns)"))
    assert message == ":10: `workload` has (rows, cols) and `inputs` takes (rows, columns); they must be the same names"


def test_sizes_and_parameters_of_cost_must_agree(refused, changed):
    assert "`workload` has (rows, cols) and `cost` takes (rows)" in refused(
        changed("def cost(rows, cols)", "def cost(rows)")
    )


def test_a_size_that_nobody_takes_is_refused(refused, valid):
    text = valid.replace("cols=64)", "cols=64, depth=2)").replace("cols=7)", "cols=7, depth=2)")
    assert "`workload` has (rows, cols, depth) and `inputs` takes (rows, cols)" in refused(text)


@pytest.mark.parametrize("name", ["workload_cpu", "smoke"])
def test_all_sizes_have_the_same_keys(refused, valid, name):
    lines = [f"{name} = dict(rows=5)" if line.startswith(f"{name} =") else line for line in valid.splitlines()]
    message = refused("\n".join(lines))
    assert f"`{name}` has (rows) and `workload` has (rows, cols); give both the same keys" in message


def test_a_parameter_of_inputs_with_a_default_may_be_left_out(accepted, changed):
    assert accepted(changed("def inputs(rows, cols)", "def inputs(rows, cols, scale=1.0)")).workload == {
        "rows": 4096,
        "cols": 64,
    }


def test_a_default_left_out_of_the_smoke_sizes_only_is_refused(refused, valid):
    text = valid.replace("def inputs(rows, cols)", "def inputs(rows, cols=64)").replace(
        "smoke = dict(rows=5, cols=7)", "smoke = dict(rows=5)"
    )
    assert "`smoke` has (rows) and `workload` has (rows, cols)" in refused(text)


def test_a_sweep_axis_must_be_a_size(refused, valid):
    assert "`sweep` has 'depth', which `workload` does not; its keys are (rows, cols)" in refused(
        valid + "sweep = dict(depth=[1])\n"
    )


@pytest.mark.parametrize("side", ["baseline", "optimized"])
def test_sides_with_other_parameters_are_refused_with_the_differing_ones(refused, changed, side):
    message = refused(changed(f"def {side}(x, weight)", f"def {side}(x, bias)"))
    assert (
        f"`{side}` takes (x, bias) and `reference` takes (x, weight): they differ in bias, weight; use one list"
        in message
    )


def test_sides_with_another_order_are_refused(refused, changed):
    assert "they differ in order" in refused(changed("def optimized(x, weight)", "def optimized(weight, x)"))


def test_a_prepared_side_without_its_first_parameter_is_refused(refused, valid):
    message = refused(valid + "\n\ndef prepare_optimized(x, weight):\n    return 1\n")
    assert (
        "with `prepare_optimized` its first parameter is what that returned: `optimized(prepared, x, weight)`"
        in message
    )


def test_a_prepared_side_must_agree_in_the_rest(refused, changed):
    text = changed(
        "def optimized(x, weight)", "def prepare_optimized(x, weight):\n    return 1\n\n\ndef optimized(packed, x)"
    )
    assert "`optimized` takes (x) after what was prepared and `reference` takes (x, weight)" in refused(text)


def test_preparation_takes_the_same_arguments(refused, changed):
    text = changed(
        "def optimized(x, weight)", "def prepare_optimized(x):\n    return 1\n\n\ndef optimized(packed, x, weight)"
    )
    assert "`prepare_optimized` takes (x) and `reference` takes (x, weight)" in refused(text)


@pytest.mark.parametrize("name", ["inputs", "cost"])
def test_an_async_function_that_is_not_a_side_is_refused(refused, changed, name):
    assert f"`{name}` is async" in refused(changed(f"def {name}(", f"async def {name}("))


@pytest.mark.parametrize("name", ["reference", "baseline", "optimized"])
@pytest.mark.parametrize("extra", ["*args", "**kwargs"])
def test_open_parameter_lists_of_sides_are_refused(refused, changed, name, extra):
    message = refused(changed(f"def {name}(x, weight)", f"def {name}({extra})"))
    assert f"`{name}` takes {extra}; write its parameters out by name" in message


@pytest.mark.parametrize("name", ["inputs", "cost"])
def test_open_parameter_lists_of_sizes_are_refused(refused, changed, name):
    assert f"`{name}` takes **sizes" in refused(changed(f"def {name}(rows, cols)", f"def {name}(**sizes)"))


def test_parameters_that_cannot_be_given_by_name_or_position_are_refused(refused, changed):
    assert "`inputs` has a `/`" in refused(changed("def inputs(rows, cols)", "def inputs(rows, cols, /)"))
    assert "`baseline` has a `*`" in refused(changed("def baseline(x, weight)", "def baseline(x, *, weight)"))


def test_keyword_only_sizes_are_fine(accepted, changed):
    assert accepted(changed("def inputs(rows, cols)", "def inputs(*, rows, cols)"))


def test_a_default_on_a_side_is_refused(refused, changed):
    message = refused(changed("def optimized(x, weight)", "def optimized(x, weight, cache={})"))
    assert "`optimized` gives (cache) a default; make it a constant of the file or an argument" in message


@pytest.mark.parametrize("name", ["constant", "mutates", "cold"])
def test_a_name_that_is_no_argument_is_refused(refused, valid, name):
    message = refused(valid + f'{name} = ("bias",)\n')
    assert f"`{name}` has 'bias', which is no argument; the arguments are (x, weight)" in message


def test_an_argument_cannot_be_constant_and_mutated(refused, valid):
    message = refused(valid + 'constant = ("weight",)\nmutates = ("weight",)\n')
    assert "`constant` and `mutates` both have (weight)" in message
