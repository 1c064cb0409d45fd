"""`perfproof rerun`: the same again, and only what is asked for is different."""

import json

from perfproof.history.folders import list_runs, load_run


def test_the_same_targets_options_and_seed(perfproof, pair_files, fake_bench):
    perfproof(
        "run", *pair_files("a", "b"), "--effort", "quick", "--delta", "2%", "--timeout", "9", "--variant", "optimized"
    )
    assert perfproof("rerun", "latest").code == 0
    first, second = fake_bench.calls
    assert second.seed == first.seed
    assert [plan.pair.name for plan in second.planned] == ["a", "b"]
    assert (second.options.effort, second.options.delta, second.options.timeout) == ("quick", 0.02, 9)
    assert second.options.variants == ("optimized",)
    assert len(list_runs("artifacts")) == 2


def test_what_is_written_replaces_what_was_saved(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"), "--effort", "quick", "--timeout", "9")
    perfproof("rerun", "latest", "--effort", "final", "--budget", "1h", "--allow", "all")
    options = fake_bench.calls[1].options
    assert (options.effort, options.budget, options.timeout) == ("final", 3600, 9)


def test_reasons_that_were_allowed_are_allowed_again(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("a"), "--effort", "final", "--allow", "all")
    assert perfproof("rerun", "latest").code == 0
    first, second = fake_bench.calls
    assert second.options.allow == first.options.allow != ()


def test_settings_of_the_project_do_not_replace_what_was_saved(perfproof, pair_files, fake_bench, tmp_path):
    perfproof("run", *pair_files("a"), "--effort", "quick")
    (tmp_path / "pyproject.toml").write_text('[tool.perfproof]\neffort = "final"\n')
    perfproof("rerun", "latest")
    assert fake_bench.calls[1].options.effort == "quick"


def test_sizes_are_repeated(perfproof, pair_files, fake_bench):
    (file,) = pair_files("a")
    key = perfproof("run", file, "--set", "a.?=1").err.rsplit("its sizes are ", 1)[1].split(",")[0].strip()
    perfproof("run", file, "--set", f"a.{key}=5")
    perfproof("rerun", "latest")
    assert fake_bench.calls[-1].planned[0].sizes == {key: 5}


def test_a_run_of_the_tour_repeats_its_targets(perfproof, fake_bench):
    perfproof("run")
    perfproof("rerun", "latest")
    first, second = ([plan.pair.name for plan in call.planned] for call in fake_bench.calls)
    assert first == second
    assert fake_bench.calls[1].options.budget == 60 * len(first)


def test_a_file_that_was_edited_since_is_pointed_out(perfproof, pair_files, fake_bench, tmp_path):
    (file,) = pair_files("a")
    perfproof("run", file)
    assert "has changed" not in perfproof("rerun", "latest").err
    with (tmp_path / file).open("a") as pair:
        pair.write("\n# edited\n")
    assert "a: the file has changed since" in perfproof("rerun", "latest").err
    with (tmp_path / file).open("a") as pair:
        pair.write("\n# once more\n")
    assert "a: the file has changed since" in perfproof("rerun", "latest", "--json").err, "quiet is not blind"


def test_an_interrupted_run_is_repeated_whole(perfproof, pair_files, fake_bench):
    fake_bench.outcomes = {"b": KeyboardInterrupt()}
    perfproof("run", *pair_files("a", "b"))
    fake_bench.outcomes = {}
    assert perfproof("rerun", "latest").code == 0
    assert len(load_run(list_runs("artifacts")[-1]).targets) == 2


def test_no_such_run_is_exit_5(perfproof):
    refused = perfproof("rerun", "latest")
    assert (refused.code, refused.err) == (5, "perfproof: no runs in artifacts; make one with `perfproof run`\n")


def test_functions_of_a_program_are_compared_there_again_with_the_seed_that_is_named(perfproof, pair_files, fake_bench):
    perfproof("run", *pair_files("one"))
    file = list_runs("artifacts")[-1] / "run.json"
    document = json.loads(file.read_text())
    document["options"]["functions"] = {}
    file.write_text(json.dumps(document))
    done = perfproof("rerun", "latest")
    assert done.code == 2 and f'seed="{document["seed"]}"' in done.err and done.err.count("\n") == 1


def test_another_quantity_may_judge_two_programs_and_no_pair(perfproof, pair_files, fake_bench):
    perfproof("ab", "true", "true", "--effort", "quick", "--budget", "2s")
    assert perfproof("rerun", "latest", "--judge", "cpu").code == 0
    assert "CPU time" in perfproof("report", "run", "latest").out
    perfproof("run", *pair_files("a"), "--effort", "quick")
    said = perfproof("rerun", "latest", "--judge", "cpu")
    assert said.code == 2 and "compares no programs" in said.err
