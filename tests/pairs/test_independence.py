"""The reference calls no side and no side calls it, however the call is written; sharing a helper is allowed."""

import pytest

from perfproof.core.errors import ContractError

REFERENCE = "    return x.double() + weight.double()\n"
OPTIMIZED = "    return x + weight\n"
HELPERS = {
    "nothing between": "",
    "a helper": "def helper(x, weight):\n    return {called}(x, weight)\n",
    "two helpers": "def helper(*g):\n    return inner(*g)\n\n\ndef inner(*g):\n    return {called}(*g)\n",
    "a partial": "import functools\n\nhelper = functools.partial({called})\n",
    "another name": "first = {called}\nhelper = first\n",
    "a lambda": "helper = lambda x, weight: {called}(x, weight)\n",
    "a table": "TABLE = dict(plain={called})\n\n\ndef helper(x, weight):\n    return TABLE['plain'](x, weight)\n",
    "a table filled later": "TABLE = []\nTABLE.append({called})\n\n\ndef helper(*g):\n    return TABLE[0](*g)\n",
    "an item": "TABLE = dict()\nTABLE['a'] = {called}\n\n\ndef helper(*g):\n    return TABLE['a'](*g)\n",
    "a class": "class Helper:\n    def run(self, *g):\n        return {called}(*g)\n\n\nhelper = Helper().run\n",
    "a base class": "class Base:\n    run = staticmethod({called})\n\n\nclass Own(Base): ...\n\n\nhelper = Own.run\n",
    "a condition": "if EPS:\n    def helper(*g):\n        return {called}(*g)\n",
    "a decorator": "def deco(f):\n    return {called}\n\n\n@deco\ndef helper(x, weight):\n    return x\n",
    "a decorated helper": "import functools\n\n\n@functools.cache\ndef helper(*g):\n    return {called}(*g)\n",
    "a nested function": "def helper(*g):\n    def inside():\n        return {called}(*g)\n    return inside()\n",
    "a comprehension": "def helper(*g):\n    return [{called}(*g) for _ in range(1)][0]\n",
}


@pytest.mark.parametrize("between", HELPERS)
@pytest.mark.parametrize("caller", ["reference", "optimized"])
def test_a_shared_answer_is_refused(refused, valid, between, caller):
    body, called = (REFERENCE, "baseline") if caller == "reference" else (OPTIMIZED, "reference")
    helper = HELPERS[between].format(called=called)
    text = valid.replace(body, f"    return {'helper' if helper else called}(x, weight)\n") + f"\n\n{helper}"
    said = refused(text)
    assert f"`{caller}` calls `{called}`" in said and "so an answer is compared with itself; " in said
    assert ("through `helper`" in said) == bool(helper)


def test_a_preparation_is_part_of_its_side(refused, valid):
    text = valid.replace("def optimized(x, weight):", "def optimized(kept, x, weight):")
    prepare = "\n\ndef prepare_optimized(x, weight):\n    return reference(x, weight)\n"
    assert "`prepare_optimized` calls `reference`" in refused(text + prepare)


@pytest.mark.parametrize(
    "text",
    [
        # Names of their own.
        REFERENCE.replace("return", "baseline = x.mean()\n    return baseline +"),
        "    return sum(baseline for baseline in (x.double(), weight.double()))\n",
        "    def optimized(x):\n        return x.double()\n    return optimized(x) + optimized(weight)\n",
        "    return x.double().baseline(weight, optimized=True)['baseline']\n",
        # A helper that both use.
        "    return widen(x) + widen(weight)\n",
    ],
)
def test_names_of_its_own_and_a_shared_helper_are_allowed(accepted, valid, text):
    helper = "\n\ndef widen(x):\n    return x.double()\n\n\ndef optimized_b(x, weight):\n    return widen(x) + weight\n"
    accepted(valid.replace(REFERENCE, text) + helper)


@pytest.mark.parametrize(
    "added",
    [
        "\n\ndef optimized_tiled(x, weight):\n    return baseline(x[:1], weight)\n",
        "import torch.nn\n\ncompiled = torch.compile(optimized)\n",
        "SIDES = dict(reference=reference, baseline=baseline)\n",
        "if __name__ == '__main__':\n    print(reference(1, 2) - baseline(1, 2))\n",
        "\n\ndef main():\n    return reference(1, 2) - baseline(1, 2)\n\n\nmain()\n",
    ],
)
def test_sides_that_call_each_other_and_comparisons_beside_them_are_allowed(accepted, valid, added):
    accepted(valid + added)


def test_an_argument_may_have_the_name_of_a_side(accepted, valid):
    accepted(valid.replace("weight", "baseline").replace("torch.randn(cols)", "torch.randn(cols) * 2"))


def test_a_reference_that_a_step_borrows_stands_alone_too(accepted, valid, tmp_path):
    lender = tmp_path / "step_01.py"
    lender.write_text(valid.replace(REFERENCE, "    return baseline(x, weight)\n"))
    borrowing = valid.replace("def reference(x, weight):\n" + REFERENCE, 'reference = "step_01"\n')
    with pytest.raises(ContractError, match="`reference` calls `baseline`") as caught:
        accepted(borrowing, "labs/steps", "step_02")
    assert caught.value.where.startswith(f"{lender}:")  # the file that is wrong, not the one that borrows


def test_what_only_the_compiler_refuses_is_one_line_too(refused, valid):
    assert "not Python: " in refused(valid + "\n\ndef broken(x):\n    nonlocal y\n    return baseline(x, y)\n")
