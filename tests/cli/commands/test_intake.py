"""`perfproof intake`: the form that is written, the problems that are found, the experiments that fit."""

import json
import os

import pytest
import yaml


def test_new_writes_a_form_that_this_machine_filled_in(perfproof, tmp_path):
    done = perfproof("intake", "new")
    assert done.code == 0 and "perfproof intake check intake.yaml" in done.out
    form = yaml.safe_load((tmp_path / "intake.yaml").read_text())
    assert form["hardware"]["cpu"] and form["goal"]["summary"] is None


def test_an_existing_form_is_kept_unless_forced(perfproof, tmp_path):
    (tmp_path / "intake.yaml").write_text("mine")
    refused = perfproof("intake", "new")
    assert refused.code == 2 and "--force" in refused.err
    assert (tmp_path / "intake.yaml").read_text() == "mine"
    assert perfproof("intake", "new", "--force").code == 0
    assert (tmp_path / "intake.yaml").read_text() != "mine"


def test_a_dash_prints_the_form(perfproof, tmp_path):
    done = perfproof("intake", "new", "--example", "-")
    assert yaml.safe_load(done.out)["workload"]["model"] == "llama-3.1-8b"
    assert list(tmp_path.iterdir()) == []


def test_the_example_can_be_used_and_names_experiments(perfproof):
    perfproof("intake", "new", "--example", "form.yaml")
    done = perfproof("intake", "check", "form.yaml")
    assert done.code == 0 and "form.yaml: can be used" in done.out
    assert "  perfproof run ch01:batched_gemm " in done.out and "ch04:ddp_overlap" not in done.out
    found = json.loads(perfproof("intake", "check", "form.yaml", "--json").out)
    assert found["usable"] and found["intake"]["workload"]["batch"] == 64
    assert {one["symptom"] for one in found["experiments"]} == {"launch-bound", "memory-bound"}
    assert found["experiments"][0]["symptom"] == "launch-bound"


def test_problems_are_printed_with_their_place_and_the_exit_code_says_so(perfproof, tmp_path):
    text = "goal:\n  summary: s\n  kind: inference\n  kpi: k\nslos:\n  ttft_p50: 1 s\n  ttft_p99: 1 ms\n"
    (tmp_path / "bad.yaml").write_text(text)
    done = perfproof("intake", "check", "bad.yaml")
    assert done.code == 2
    assert "bad.yaml:7:13: error: slos.ttft_p99: a p99 cannot be below the p50 of 1 s" in done.out
    assert "perfproof run" not in done.out
    (problem,) = json.loads(perfproof("intake", "check", "bad.yaml", "--json").out)["problems"]
    assert (problem["line"], problem["column"], problem["field"]) == (7, 13, "slos.ttft_p99")


def test_without_symptoms_triage_comes_first(perfproof, tmp_path):
    (tmp_path / "form.yaml").write_text("goal: {summary: s, kind: training, kpi: k}\n")
    done = perfproof("intake", "check", "form.yaml")
    assert done.code == 0 and "perfproof triage --intake form.yaml -- YOUR COMMAND" in done.out
    assert "not checked: limits of the model: the form names none" in done.out


def test_a_file_that_is_not_there_is_refused_in_one_line(perfproof):
    done = perfproof("intake", "check", "none.yaml")
    assert (done.code, done.out) == (2, "") and done.err.count("\n") == 1


def test_a_file_that_is_no_text_is_refused(perfproof, tmp_path):
    (tmp_path / "form.yaml").write_bytes(b"\xff\xfe\x00")
    assert perfproof("intake", "check", "form.yaml").code == 2


def test_experiments_on_the_own_command_come_before_demonstrations(perfproof):
    perfproof("intake", "new", "--example", "form.yaml")
    done = perfproof("intake", "check", "form.yaml")
    assert done.out.index("perfproof ab --a 'python serve.py") < done.out.index("perfproof run ch01")
    assert "today: $0.231 per million tokens" in done.out
    found = json.loads(perfproof("intake", "check", "form.yaml", "--json").out)["proposals"]
    assert 2 <= len(found) <= 3 and all(one["gain"] > 1 and one["why"] for one in found)


def test_without_a_gpu_the_page_says_why_there_is_no_experiment(perfproof, tmp_path):
    (tmp_path / "form.yaml").write_text("goal: {summary: s, kind: training, kpi: k}\n")
    assert "own command: none (no gain can be predicted" in perfproof("intake", "check", "form.yaml").out


@pytest.mark.parametrize("make", ["pipe", "folder", "device"])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(perfproof, tmp_path, make):
    place = tmp_path / "form.yaml"
    if make == "pipe":
        os.mkfifo(place)
    elif make == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero")
    for words in (("check", "form.yaml"), ("new", "--force", "form.yaml")):
        done = perfproof("intake", *words)
        assert done.code == 2 and "no plain file" in done.err


def test_the_menu_has_experiments_on_a_program_of_ones_own(perfproof):
    out = perfproof("list", "--menu").out
    assert all(name in out for name in ("rank placement", "NCCL environment", "parallelism mix"))
