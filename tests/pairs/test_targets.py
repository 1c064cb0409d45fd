import os
from pathlib import Path

import pytest

from perfproof.core.errors import NothingMatched, PerfproofError, UsageError
from perfproof.pairs import catalogue as catalogue_module
from perfproof.pairs.pair import Availability, Broken
from perfproof.pairs.targets import name_of, select, tour
from tests.pairs.full_pair import TEXT

FILES = [
    "chapters/ch01_goodput/batched_gemm.py",
    "chapters/ch01_goodput/pinned_transfer.py",
    "chapters/ch07_memory/rmsnorm_fusion.py",
    "chapters/ch12_graphs/replay.py",
    "labs/moe/step_01_loop.py",
    "labs/moe/step_02_sorted.py",
    "labs/moe/step_02_sorted_fast.py",
]


@pytest.fixture
def root(tmp_path, valid, monkeypatch):
    """A catalogue, and an empty current folder beside it."""
    for file in FILES:
        path = tmp_path / "repository" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(valid.replace("Add in one call", f"Lesson of {path.stem}"))
    monkeypatch.setattr(catalogue_module, "catalogue_root", lambda: tmp_path / "repository")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "repository"


def names(*patterns, keyword=None):
    return [pair.name for pair in select(patterns, keyword)]


def refusal(*patterns, keyword=None, kind=NothingMatched):
    with pytest.raises(PerfproofError) as caught:
        select(patterns, keyword)
    assert type(caught.value) is kind
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


CH01 = ["ch01:batched_gemm", "ch01:pinned_transfer"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("ch01", CH01),
        ("ch1", CH01),
        ("ch01_goodput", CH01),
        ("ch1_goodput", CH01),
        ("ch01:batched_gemm", CH01[:1]),
        ("ch1:batched_gemm", CH01[:1]),
        ("ch01_goodput:batched_gemm", CH01[:1]),
        ("ch0*", [*CH01, "ch07:rmsnorm_fusion"]),
        ("*:rms*", ["ch07:rmsnorm_fusion"]),
        ("labs/moe:step_01", ["labs/moe:step_01_loop"]),
        ("labs/moe:step_02_sorted", ["labs/moe:step_02_sorted"]),
        ("labs/moe", ["labs/moe:step_01_loop", "labs/moe:step_02_sorted", "labs/moe:step_02_sorted_fast"]),
        ("labs", ["labs/moe:step_01_loop", "labs/moe:step_02_sorted", "labs/moe:step_02_sorted_fast"]),
    ],
)
def test_targets_can_be_written_in_many_ways(root, pattern, found):
    assert names(pattern) == found


def test_no_pattern_is_the_whole_catalogue(root):
    assert len(names()) == len(FILES)


def test_order_is_kept_and_duplicates_are_dropped(root):
    assert names("ch12", "ch01:pinned_transfer", "ch01", "ch1*") == [
        "ch12:replay",
        "ch01:pinned_transfer",
        "ch01:batched_gemm",
    ]


def test_a_keyword_is_looked_for_in_name_and_lesson_without_case(root):
    assert names(keyword="GEMM") == ["ch01:batched_gemm"]
    assert names("ch01", keyword="lesson OF pinned") == ["ch01:pinned_transfer"]


def test_a_keyword_that_nothing_has(root):
    assert refusal(keyword="zzz") == "no target has 'zzz' in its name or lesson; `perfproof list` shows all"


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("ch01:batchd_gemm", "ch01:batched_gemm"),
        ("batched_gemm", "ch01:batched_gemm"),
        ("ch02:rmsnorm_fusion", "ch07:rmsnorm_fusion"),
        ("ch01:batch", "ch01:batched_gemm"),
        ("ch01_godput", "ch01_goodput"),
        ("labs/moo", "labs/moe"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(root, pattern, meant):
    message = refusal(pattern)
    assert message.startswith(f"no target {pattern!r}; did you mean {meant}")
    assert message.endswith("? `perfproof list` shows all")


def test_a_name_like_nothing_has_no_suggestion(root):
    assert refusal("zzzzzz") == "no target 'zzzzzz'; `perfproof list` shows all"
    assert refusal("zz*") == "no target 'zz*'; `perfproof list` shows all"
    assert refusal("") == "no target ''; `perfproof list` shows all"


def test_an_ambiguous_beginning_of_a_step_is_refused(root):
    message = refusal("labs/moe:step_02_s*"[:-1], kind=UsageError)
    assert "is the beginning of 2 steps: labs/moe:step_02_sorted, labs/moe:step_02_sorted_fast" in message


def test_a_file_of_the_users_own_is_called_by_its_path(root, valid):
    os.mkdir("mine")
    with open("mine/fast.py", "w") as file:
        file.write(valid)
    (pair,) = select(["mine/fast.py"])
    assert (pair.name, pair.chapter, pair.path.is_absolute()) == ("mine/fast", "mine", True)


def test_a_folder_of_the_users_own_gives_all_its_pairs(root, valid):
    os.mkdir("mine")
    for name, text in [("b.py", valid), ("a.py", "broken"), ("_c.py", valid), ("test_d.py", valid), ("e.txt", "")]:
        with open(f"mine/{name}", "w") as file:
            file.write(text)
    broken, whole = select(["mine/"])
    assert isinstance(broken, Broken) and broken.name == "mine/a"
    assert whole.name == "mine/b"


def test_a_users_folder_inside_labs_is_a_ladder(root, valid):
    os.makedirs("labs/mine")
    with open("labs/mine/step_01.py", "w") as file:
        file.write(valid)
    (pair,) = select(["labs/mine"])
    assert (pair.chapter, pair.name) == ("labs/mine", "labs/mine/step_01")


def test_a_file_or_folder_of_the_catalogue_keeps_its_name(root, monkeypatch):
    monkeypatch.chdir(root)
    assert names("chapters/ch01_goodput/batched_gemm.py") == ["ch01:batched_gemm"]
    assert names("chapters/ch01_goodput") == CH01
    assert names("labs/moe/step_01_loop.py") == ["labs/moe:step_01_loop"]
    assert len(names("chapters")) == 4


def test_a_name_of_the_catalogue_wins_over_a_folder_of_that_name(root):
    os.mkdir("ch01")
    assert names("ch01") == CH01


def test_the_same_file_by_two_ways_is_taken_once(root, monkeypatch):
    monkeypatch.chdir(root)
    assert names("ch01:batched_gemm", "chapters/ch01_goodput/batched_gemm.py") == CH01[:1]


def test_a_missing_file_is_named(root):
    assert refusal("mine/none.py").startswith("no file 'mine/none.py'; check the path")
    assert refusal("none.py").startswith("no file 'none.py'")
    assert refusal("mine/none").startswith("no file 'mine/none'")


def test_a_slip_in_the_name_of_a_file_is_answered_with_the_file(root, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    os.mkdir("mine")
    Path("mine/softmax.py").touch()
    Path("softmax.py").touch()
    assert "did you mean mine/softmax.py?" in refusal("mine/sofmtax.py")
    assert "did you mean softmax.py?" in refusal("sofmtax") and "did you mean" not in refusal("attention.py")


def test_a_file_may_be_named_as_its_results_are(root, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    os.mkdir("mine")
    for path in ("mine/softmax.py", "softmax.py"):
        Path(path).write_text("def inputs(): return 1\n")
    assert [pair.name for name in ("mine/softmax", "softmax") for pair in select([name])] == ["mine/softmax", "softmax"]


def test_a_file_that_is_not_python_is_refused(root):
    open("notes.txt", "w").close()
    assert refusal("notes.txt", kind=UsageError).startswith("'notes.txt' is not a Python file; a pair is a .py file")


def test_a_folder_without_pairs_is_refused(root):
    os.mkdir("empty")
    assert refusal("empty") == "no pairs in the folder 'empty'; `perfproof new NAME` writes one to fill in"


@pytest.mark.parametrize("pattern", ["a" * 5000, "a\0b", "\ud800", "[", "ch01:", ":", "../../../.."[:2] + "x"])
def test_a_strange_name_is_refused_like_any_other(root, pattern):
    with pytest.raises(NothingMatched):
        select([pattern])


def test_an_empty_catalogue_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue_module, "catalogue_root", lambda: tmp_path)
    with pytest.raises(NothingMatched, match="no pairs in "):
        select([])


def availability_of(**words):
    """timed, verified or no, by the stem of the pair."""
    return lambda pair: Availability(
        timed=words.get(pair.path.stem) == "timed", verified=words.get(pair.path.stem) in ("timed", "verified")
    )


def with_tour(root, file):
    path = root / file
    path.write_text(path.read_text() + "tour = True\n")


def test_the_tour_takes_the_pairs_that_chapters_chose_and_that_can_be_timed_here(root):
    for file in FILES[1:]:
        with_tour(root, file)
    here = availability_of(batched_gemm="timed", pinned_transfer="timed", rmsnorm_fusion="verified", replay="timed")
    assert [pair.name for pair in tour(select([]), here)] == ["ch01:pinned_transfer", "ch12:replay"]


def test_where_nothing_can_be_timed_the_chosen_pairs_stay_to_be_skipped_with_their_reasons(root):
    with_tour(root, FILES[1])
    assert [pair.name for pair in tour(select(["ch01"]), availability_of())] == ["ch01:pinned_transfer"]


def test_a_broken_file_is_not_in_the_tour(root):
    with_tour(root, FILES[1])
    (root / FILES[0]).write_text("tour = True\nbroken")
    assert [pair.name for pair in tour(select(["ch01"]), availability_of())] == ["ch01:pinned_transfer"]


def test_a_file_has_one_name_however_it_is_written(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    ways = ["folder/mine.py", "./folder/mine.py", "folder/../folder/mine.py", str(tmp_path / "folder" / "mine.py")]
    assert {select([way])[0].name for way in ways} == {"folder/mine"}
    assert [pair.name for pair in select(["./folder"])] == ["folder/mine"]
    assert [pair.name for pair in select(ways)] == ["folder/mine"]
    assert {name_of(way) for way in ways} == {"folder/mine"} and name_of("ch01:gemm") == "ch01:gemm"


def test_a_file_elsewhere_is_named_as_it_is_written(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "mine.py").write_text(TEXT)
    monkeypatch.chdir(tmp_path / "here")
    assert select(["../here/../mine.py"])[0].name == "../mine"
    assert select([str(tmp_path / "mine.py")])[0].name == str(tmp_path / "mine")


def test_a_function_is_told_how_ab_takes_it(root, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "textstats.py").write_text("def rank(): pass\n")
    for written in ("textstats.rank", "textstats:rank"):
        assert "`perfproof ab textstats:rank`" in refusal(written)
    assert "perfproof ab" not in refusal("numpy_like.rank")
