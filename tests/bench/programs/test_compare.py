"""A/B of whole programs from end to end, with few runs: what is found, kept and refused."""

import sys
from pathlib import Path

import pytest

from perfproof.bench.programs import compare as compare_module
from perfproof.bench.programs.compare import run_programs
from perfproof.bench.programs.metrics import parse_metric
from perfproof.bench.programs.plan import ProgramPlan
from perfproof.bench.programs.program import Program
from perfproof.core.errors import UsageError
from perfproof.core.options import PROGRAM_EFFORTS, ProgramEffort
from perfproof.report.rows import also_notes
from perfproof.report.sentences import conclusion

SHORT, LONG = ("sleep", "0.01"), ("sleep", "0.06")


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    monkeypatch.setitem(PROGRAM_EFFORTS, "standard", ProgramEffort(5, 5, 0.0))


@pytest.fixture
def compare(tmp_path):
    """compare(a, b, option=...) gives what the run hands over; what it said meanwhile is in `compare.said`."""

    def call(a, b, **options):
        side_a, side_b = (Program(name, tuple(arguments), tmp_path) for name, arguments in (("a", a), ("b", b)))
        plan = ProgramPlan("a against b", side_a, side_b, seed="5eed", **options)
        call.said = []
        (done,) = run_programs(plan, call.said.append)
        return done

    return call


def shell(text):
    return ("sh", "-c", text)


def test_a_slower_program_is_found_slower_with_everything_beside_it(compare):
    done = compare(SHORT, LONG)
    result = done.result
    assert (result.status, result.verdict) == ("ok", "slower")
    judged = result.ratios["b"]
    assert judged.high < 1 and judged.launches == 5 and judged.processes > 20 and judged.clock == "wall"
    assert set(result.also) == {"cpu", "memory"} and set(result.variants) == {"baseline", "b"}
    assert result.variants["b"].times["wall"] > result.variants["baseline"].times["wall"]
    assert result.program["b"]["command"] == list(LONG) and result.program["exits"] == {"a": [0], "b": [0]}
    assert result.program["cpus"] and result.program["outputs"] == "equal"
    assert len({row["block"] for row in done.samples}) == 5
    assert all(row["start_ns"] < row["end_ns"] for row in done.samples)


def test_orders_are_drawn_in_balance_and_every_second_quad_brings_a_twin(compare):
    rows = compare(SHORT, SHORT).samples
    groups: dict[int, str] = {}
    for row in rows:
        groups[row["group"]] = groups.get(row["group"], "") + {"baseline": "A", "b": "B", "twin": "T"}[row["side"]]
    quads = [order for order in groups.values() if len(order) == 4]
    assert sorted(quads[:4]) == ["AABB", "ABBA", "BAAB", "BBAA"] and len(quads) == 5
    assert [sorted(pair) for pair in groups.values() if len(pair) == 2] == [["A", "T"]] * 2


def test_the_plan_is_said_once(compare):
    compare(SHORT, SHORT)
    lines = [news.line for news in compare.said if news.line]
    assert len(lines) == 1 and "5 blocks of 4 runs, about " in lines[0]


def test_a_program_that_fails_stops_with_its_status_and_what_it_said(compare):
    done = compare(shell("echo fine"), shell("echo out; echo 'went wrong' >&2; exit 3"))
    assert done.result.status == "crashed" and "b exited with 3 in its first run: went wrong;" in done.result.reason
    assert done.result.output_tail == "went wrong" and not done.result.ratios
    assert done.files["outputs/b-failed.stdout"] == "out\n" and done.files["outputs/a.stdout"] == "fine\n"
    assert "went wrong" in done.log


def test_failing_programs_can_be_measured(compare):
    result = compare(shell("exit 3"), SHORT, ignore_exit=True).result
    assert result.status == "ok" and result.program["exits"] == {"a": [3], "b": [0]}


def test_one_that_hangs_is_a_timeout_even_where_exits_are_ignored(compare):
    result = compare(("sleep", "741.5"), SHORT, timeout=0.3, ignore_exit=True).result
    assert result.status == "timeout" and "--timeout" in result.reason


def test_other_outputs_are_worth_a_warning(compare):
    result = compare(shell("echo one"), shell("echo two")).result
    assert result.program["outputs"] == "different" and "W140" in [warning.code for warning in result.warnings]


def test_outputs_that_vary_by_themselves_are_not(compare):
    result = compare(shell("echo $$"), shell("echo $$")).result
    assert result.program["outputs"].startswith("vary")
    assert "W140" not in [warning.code for warning in result.warnings]


def test_words_that_every_run_prints_are_compared_although_others_vary(compare):
    result = compare(shell("echo at $$ loss 0.25"), shell("echo at $$ loss 0.75")).result
    (said,) = [warning.text for warning in result.warnings if warning.code == "W140"]
    assert said.endswith("loss 0.25 against 0.75")


def test_a_file_that_only_one_program_writes_is_told(compare):
    result = compare(shell("date +%N > result.json"), shell(": no result")).result
    assert [warning.text for warning in result.warnings if warning.code == "W140"] == [
        "a writes result.json in every run, and b does not"
    ]


def test_a_program_that_lives_on_what_its_first_run_left_is_told(compare):
    work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
    result = compare(SHORT, shell(f"test -e kept || {{ {work}; echo done > kept; }}")).result
    (said,) = [warning.text for warning in result.warnings if warning.code == "W148"]
    assert said.startswith("the first run of b took ") and "and left kept: remove" in said


def test_processes_left_behind_are_told(compare):
    result = compare(shell("setsid sleep 742.5 & exit 0"), SHORT).result
    assert "W142" in [warning.code for warning in result.warnings]


def test_prepare_runs_before_each_run_of_either(compare, tmp_path):
    prepare = Program("--prepare", shell("echo x >> prepared"), tmp_path)
    done = compare(SHORT, SHORT, prepare=prepare, warmup=2)
    assert len((tmp_path / "prepared").read_text().split()) == len(done.samples) + 4


def test_a_prepare_that_fails_stops_everything(compare, tmp_path):
    result = compare(SHORT, SHORT, prepare=Program("--prepare", ("false",), tmp_path)).result
    assert result.status == "crashed" and "--prepare exited with 1" in result.reason


def test_a_metric_can_be_what_is_judged(compare):
    metric = parse_metric(r"tps:higher=regex:tps ([0-9.]+)")
    done = compare(shell("echo tps 100.$$"), shell("echo tps 120.$$"), metrics=(metric,), judged="tps")
    judged = done.result.ratios["b"]
    assert (judged.verdict, judged.claim, judged.clock) == ("better", "metric", "tps")
    assert 1.18 < judged.low <= judged.high < 1.22 and set(done.result.also) == {"wall", "cpu", "memory"}
    assert 119 < done.result.variants["b"].metrics["tps"] < 121.1


def test_a_metric_that_is_not_there_is_refused_with_the_output_kept(compare):
    metric = parse_metric(r"tps:higher=regex:tps ([0-9.]+)")
    done = compare(shell("echo tps 1"), shell("echo nothing"), metrics=(metric,))
    assert done.result.status == "refused" and "b: metric tps: nothing in standard output" in done.result.reason
    assert done.files["outputs/b-failed.stdout"] == "nothing\n"


def test_a_budget_that_ends_is_told(compare):
    result = compare(SHORT, SHORT, budget=0.05).result
    assert "W118" in [warning.code for warning in result.warnings] and result.program["blocks"] == 1
    assert result.verdict == "indicative"
    assert "50.0 ms is enough for about 1 block, an interval needs 5: use --budget " in compare.said[1].line, (
        "before any block"
    )
    assert sum("is enough for" in (news.line or "") for news in compare.said) == 1


def test_a_budget_that_only_later_runs_exceed_is_told_after_the_plan_once(compare, monkeypatch):
    monkeypatch.setattr(compare_module, "_first_estimate", lambda session, seconds: 0.0)  # as if the warm-up was fast
    result = compare(("sleep", "0.3"), ("sleep", "0.3"), budget=4.0).result
    lines = [news.line for news in compare.said if news.line]
    assert len(lines) == 2 and "5 blocks of 4 runs" in lines[0]
    assert "blocks, an interval needs 5: use --budget " in lines[1] or "1 block, an interval" in lines[1]
    assert result.program["blocks"] < 5 and result.verdict == "indicative"


def test_more_blocks_than_an_interval_needs_are_those_of_the_effort(compare, monkeypatch):
    monkeypatch.setitem(PROGRAM_EFFORTS, "standard", ProgramEffort(8, 8, 0.0))
    compare(SHORT, SHORT, budget=0.05)
    assert "a verdict of --effort standard needs 8" in compare.said[1].line


def test_a_metric_that_never_differs_is_said_with_all_its_digits(compare):
    metrics = parse_metric("loss:lower=regex:loss ([0-9.]+)"), parse_metric("items:higher=regex:items ([0-9]+)")
    result = compare(
        shell("echo loss 2.4542856979 items 12288"), shell("echo loss 2.4542856979 items 12288"), metrics=metrics
    )
    notes = also_notes(result.result, "b")
    assert notes[-2:] == ["loss identical in all runs: 2.4542856979", "items identical in all runs: 12288"]


def test_a_metric_that_differs_in_the_last_digit_is_not_identical(compare):
    metrics = (parse_metric("loss:lower=regex:loss ([0-9.]+)"),)
    done = compare(shell("echo loss 2.4542856979"), shell("echo loss 2.4542856978"), metrics=metrics)
    (note,) = [one for one in also_notes(done.result, "b") if one.startswith("loss")]
    assert "identical" not in note and note.startswith("loss same 1.000x")


def test_an_identical_metric_that_is_judged_is_a_sentence(compare):
    metrics = (parse_metric("loss:lower=regex:loss ([0-9.]+)"),)
    same = shell("echo loss 2.4542856979")
    result = compare(same, same, metrics=metrics, judged="loss").result
    assert conclusion(result, "b").startswith(
        "no difference in loss between b and baseline: identical in all runs: 2.4542856979."
    )


def stop_after(blocks, monkeypatch):
    """As Ctrl-C in the block after so many."""
    take = compare_module._take_quad

    def taken(session, block):
        if block == blocks:
            raise KeyboardInterrupt
        take(session, block)

    monkeypatch.setattr(compare_module, "_take_quad", taken)


def interrupted(tmp_path, notify=lambda progress: None):
    sides = [Program(name, arguments, tmp_path) for name, arguments in (("a", SHORT), ("b", LONG))]
    return run_programs(ProgramPlan("a against b", *sides, seed="5eed"), notify)


@pytest.mark.parametrize("blocks", [2, 6])
def test_an_interruption_keeps_the_blocks_that_were_finished_as_a_hint(tmp_path, monkeypatch, blocks):
    monkeypatch.setitem(PROGRAM_EFFORTS, "standard", ProgramEffort(8, 8, 0.0))
    stop_after(blocks, monkeypatch)
    found = interrupted(tmp_path)
    result = next(found).result
    assert (result.status, result.verdict, result.program["blocks"]) == ("ok", "indicative", blocks)
    assert result.ratios["b"].ratio < 1 and (result.ratios["b"].low is None) == (blocks < 5)
    assert any(said.text == f"interrupted after {blocks} blocks" for said in result.warnings)
    with pytest.raises(KeyboardInterrupt):
        next(found)


def test_an_interruption_before_the_first_block_ends_keeps_nothing(tmp_path, monkeypatch):
    stop_after(0, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        next(interrupted(tmp_path))


def test_a_budget_that_suffices_is_not_doubted(compare):
    compare(SHORT, SHORT, budget=60.0)
    assert not any("budget" in (one.line or "") for one in compare.said)


def test_a_program_that_is_not_there_is_refused_before_anything_runs(compare, tmp_path):
    with pytest.raises(UsageError, match="no program 'no-such-program'"):
        compare(shell("touch ran"), ("no-such-program",))
    assert not (tmp_path / "ran").exists()


def test_memory_can_be_what_is_judged(compare):
    large = (sys.executable, "-S", "-c", "x = bytearray(64 * 2**20)")
    result = compare((sys.executable, "-S", "-c", "x = bytearray(32 * 2**20)"), large, judged="memory").result
    assert result.verdict == "worse" and result.ratios["b"].claim == "memory"
    assert Path(result.program["a"]["command"][0]).name == Path(sys.executable).name
