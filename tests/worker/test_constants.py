"""`constants`: made once, given to `inputs` by name, lent where they are large, and still proved to be read."""

import time

import pytest
import torch

from perfproof.worker import constants
from perfproof.worker.constants import Constants
from tests.conftest import BRIEF

NAMES, CONSTANT = ("table", "keys"), ("table",)


def table(rows):
    return torch.randn(rows)


def keys(rows, count, table):
    return torch.randint(len(table), (count,))


def made(tmp_path, make=table, inputs=keys, seed=7):
    return Constants(make, inputs, NAMES, CONSTANT, "cpu", [], seed, tmp_path)


SIZES = dict(rows=5, count=3)


def test_every_draw_has_the_same_constants_and_other_values(tmp_path):
    draw = made(tmp_path).draw(SIZES)
    (first,), (second,) = draw(1, 1), draw(2, 1)
    assert first[0] is second[0] and not torch.equal(first[1], second[1])
    assert first[1].max() < 5  # drawn from the table's places


def test_inputs_get_the_sizes_that_they_take(tmp_path):
    own = made(tmp_path, inputs=lambda count: torch.arange(count))
    (drawn,) = own.draw(SIZES)(1, 1)
    assert len(drawn[0]) == 5 and len(drawn[1]) == 3


def test_all_workers_of_a_run_have_equal_ones_and_another_run_has_others(tmp_path):
    first, again, other = (made(tmp_path, seed=seed).at(SIZES)[0] for seed in (7, 7, 8))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_a_set_with_other_constants_has_values_that_belong_to_them(tmp_path):
    own = made(tmp_path)
    other = own.draw_all(SIZES, 99)
    assert not torch.equal(other[0], own.at(SIZES)[0]) and len(other) == 2


def test_what_takes_long_is_made_once_and_read_by_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "SLOW_SECONDS", 0.01)
    calls = []

    def slow(rows):
        calls.append(rows)
        time.sleep(0.02)
        return torch.randn(rows)

    first, second = (made(tmp_path, slow).at(SIZES)[0] for _ in range(2))
    assert calls == [5] and torch.equal(first, second)


def test_what_cannot_be_kept_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "SLOW_SECONDS", -1.0)
    kept = [made(tmp_path, lambda rows: (lambda: rows,)).at(SIZES)[0] for _ in range(2)]
    assert all(one() == 5 for one in kept) and list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "SLOW_SECONDS", -1.0)
    right = made(tmp_path).at(SIZES)[0]
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"cut off")
    assert torch.equal(made(tmp_path).at(SIZES)[0], right)


def test_a_wrong_number_of_values_says_whose(tmp_path):
    with pytest.raises(ValueError, match=r"`constants` returned 2 values: `constant` names table"):
        made(tmp_path, lambda rows: (1, 2)).at(SIZES)
    both = made(tmp_path, inputs=lambda rows, count: (table(rows), torch.ones(count)))
    with pytest.raises(ValueError, match=r"`inputs` returned 2 values: beside `constants` it returns keys"):
        list(both.draw(SIZES)(1, 1))


PAIR = '''
"""Look keys up in a table by index, not by search.

The search reads half of the table for every key.
"""

import time
from pathlib import Path

import torch

workload = dict(rows={rows}, count=2_000)
workload_cpu = dict(rows={rows}, count=2_000)
smoke = dict(rows=70, count=30)
constant = ("table",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # values are copied
tier = "naive"


def constants(rows):
    with open(Path(__file__).with_name("made.log"), "a") as file:
        print(rows, file=file)
    {slow}
    return torch.randn(1 << 16).repeat(rows // (1 << 16) + 1)[:rows]


def inputs(rows, count, table):
    return torch.randint(len(table), (count,))


def reference(table, keys):
    return torch.stack([table[key] for key in keys.tolist()]).double()


def baseline(table, keys):
    return torch.stack([table[key] for key in keys])


def optimized(table, keys):
    {change}
    return {answer}


def cost(rows, count):
    return dict(flops=0, bytes=12 * count)
'''
HONEST = dict(rows=5_000, slow="", change="", answer="table[keys]")
LARGE = 65 << 20  # of four bytes: beyond what is copied


def lines_of(tmp_path):
    return (tmp_path / "made.log").read_text().split()


def test_a_pair_with_constants_is_verified_and_measured(run_pair):
    result = run_pair(PAIR.format(**HONEST), effort=BRIEF)
    assert (result.status, result.reason) == ("ok", "")


def test_slow_constants_are_made_once_per_size_and_for_the_proof(run_pair, tmp_path):
    result = run_pair(PAIR.format(**HONEST | dict(slow="time.sleep(1.1)")), effort=BRIEF)
    assert result.status == "ok", result.reason
    timed = [line for line in lines_of(tmp_path) if line == "5000"]
    assert len(timed) <= 3  # the first worker's, and other ones to prove that the table is read


@pytest.mark.parametrize("rows", [5_000, LARGE])
@pytest.mark.parametrize(
    ("change", "answer", "why"),
    [
        ("table[0] += 1", "table[keys]", "changes its argument|constant argument was changed"),
        ("", "table[keys - keys]", "wrong answer"),
    ],
    ids=["writes into it", "reads another place"],
)
def test_a_variant_that_misuses_its_constants_is_stopped_however_large_they_are(run_pair, rows, change, answer, why):
    result = run_pair(PAIR.format(**HONEST | dict(rows=rows, change=change, answer=answer)), effort=BRIEF)
    assert result.status != "ok" and any(one in result.reason for one in why.split("|")), result.reason


def test_large_constants_are_lent_and_proved_to_be_read(run_pair):
    result = run_pair(PAIR.format(**HONEST | dict(rows=LARGE)), effort=BRIEF)
    assert (result.status, result.reason) == ("ok", "")
    assert not any("nothing proves" in one.text for one in result.warnings)


ALIKE = '''
"""Add a constant in place.

Nothing else.
"""

from pathlib import Path

import torch

workload = dict(count=3_000)
workload_cpu = dict(count=3_000)
smoke = dict(count=30)
constant = ("table",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one sum
tier = "naive"


def inputs(count):
    return torch.randn(count), torch.randn(count)


def reference(table, x):
    return table.double() + x.double()


def baseline(table, x):
    return torch.add(table, x)


def prepare_optimized(table, x):
    if len(table) > 30:
        with open(Path(__file__).with_name("tables.log"), "a") as file:
            print(float(table.sum()), file=file)
    return None


def optimized(_, table, x):
    return table + x


def cost(count):
    return dict(flops=count, bytes=12 * count)
'''


def test_all_processes_of_a_run_have_equal_constants_without_the_function_too(run_pair, tmp_path):
    assert run_pair(ALIKE, effort=BRIEF).status == "ok"
    tables = (tmp_path / "tables.log").read_text().split()
    assert len(tables) > 2 and len({*tables}) == 1
