"""Files in any mix become evidence; damaged ones end in one line."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from perfproof.core.ceilings import Ceilings
from perfproof.core.errors import DocumentError
from perfproof.diagnose.evidence import gather

RECORDED = Path(__file__).parents[1] / "profile" / "recorded"
BREAK = "V1115 10:00:00.000 7 torch/_dynamo/x.py:1] [0/0] [__graph_breaks] Graph break in user code at train.py:3\n"


def trace(rank=None, name="aten::mm", steps=4):
    events = [
        {
            "ph": "X",
            "cat": "user_annotation",
            "name": f"ProfilerStep#{n}",
            "ts": n * 100,
            "dur": 100,
            "pid": 1,
            "tid": 1,
        }
        for n in range(steps)
    ]
    events.append({"ph": "X", "cat": "cpu_op", "name": name, "ts": 120, "dur": 50, "pid": 1, "tid": 1})
    more = {} if rank is None else {"distributedInfo": {"rank": rank}}
    return {"traceEvents": events, **more}


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return written


def test_ranks_that_say_their_number_keep_it_and_the_others_get_the_free_ones(write):
    paths = [write("a.json", trace()), write("b.json", trace(rank=0)), write("c.json", trace())]
    found = gather(paths)
    assert [(one.rank, one.source) for one in found.traces] == [(0, "b.json"), (1, "a.json"), (2, "c.json")]
    assert {Path(one.path).name: one.rank for one in found.inputs} == {"a.json": 1, "b.json": 0, "c.json": 2}


def test_files_of_one_name_in_two_folders_are_two_ranks(write):
    paths = [write("first/trace.json", trace(rank=1)), write("second/trace.json", trace(rank=0))]
    assert [one.rank for one in gather(paths).inputs] == [1, 0]


def many(*names, rank=None):
    whole = trace(rank, steps=2)
    step = whole["traceEvents"][-1]
    whole["traceEvents"] += [step | {"name": name, "ts": 120 + at} for at, name in enumerate(names)]
    return whole


def test_files_that_share_hardly_a_name_are_not_taken_for_ranks(write):
    paths = [write(f"{word}.json", many(*(f"{word}_{number}" for number in range(30)))) for word in ("a", "b")]
    with pytest.raises(DocumentError, match=r"no ranks of one job.*perfproof compare"):
        gather(paths)


def test_ranks_of_one_job_may_have_stages_of_their_own(write):
    common = [f"aten::op{number}" for number in range(20)]
    paths = [write(f"{word}.json", many(*common, *(f"{word}{number}" for number in range(20)))) for word in ("a", "b")]
    assert [one.rank for one in gather(paths).traces] == [0, 1]
    told = [write(f"{word}.json", many(*(word + str(n) for n in range(30)), rank=at)) for at, word in enumerate("cd")]
    assert [one.rank for one in gather(told).traces] == [0, 1], "files that say their rank are believed"


def test_a_single_file_has_no_rank_unless_it_says_one(write):
    assert gather([write("a.json", trace())]).traces[0].label == "a.json"
    assert gather([write("a.json", trace(rank=3))]).traces[0].label == "rank 3"


def test_a_file_of_rocprof_may_have_the_name_of_its_domain_alone(write):
    rows = '"Kind","Kernel_Name","Start_Timestamp","End_Timestamp"\n"KERNEL_DISPATCH","gemm",1000,5000\n'
    assert len(gather([write("kernel_trace.csv", rows)]).traces) == 1


def test_a_packed_trace_is_read(write, tmp_path):
    packed = tmp_path / "t.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(trace()).encode()))
    assert gather([packed]).traces[0].found == 4


def test_every_kind_of_file_goes_to_its_place(write):
    ceilings = Ceilings(perfproof_version="0", fingerprint="f", kind="k", device="cpu", measured="now")
    found = gather(
        [
            write("trace.json", trace()),
            RECORDED / "h200_three_kernels.csv",
            write("stacks.txt", "main;work 12\nmain;idle 3\n"),
            write("dmon.txt", "# gpu    sm   mclk   pclk\n# Idx     %    MHz    MHz\n    0    97   3201   1980\n"),
            write("compile.log", BREAK),
            write("ceilings.json", ceilings.model_dump_json()),
        ],
        unprofiled_step_ns=5.0,
    )
    assert [one.what for one in found.inputs] == [
        "trace (kineto)",
        "counters",
        "stacks",
        "telemetry (dmon)",
        "compile log",
        "ceilings",
    ]
    assert len(found.traces) == 1 and len(found.counters) == 3 and len(found.stacks) == 1
    assert list(found.compile_logs.values()) == [BREAK] and found.ceilings == ceilings
    assert any("gpu0.sm" in name for series in found.series.values() for name in series)
    assert found.unprofiled_step_ns == 5.0


def test_in_a_folder_what_is_no_profile_is_left_out_and_said(write, tmp_path):
    folder = tmp_path / "profile"
    write("profile/trace.json", trace())
    write("profile/notes.md", "what I did")
    write("profile/profile.json", {"tool": "torch"})
    found = gather([folder])
    assert [(Path(one.path).name, one.what.split(":")[0]) for one in found.inputs] == [
        ("notes.md", "left out"),
        ("trace.json", "trace (kineto)"),
    ]


def test_a_folder_without_a_profile_is_an_error(write, tmp_path):
    write("empty/notes.md", "what I did")
    with pytest.raises(DocumentError, match="no file in this folder is a profile"):
        gather([tmp_path / "empty"])


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.json", "", "is empty"),
        ("a.json", '{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur"', "trace"),
        ("a.json", "{}", "no profile"),
        ("a.csv", '"ID","Kernel Name","Metric Name"\n', "no whole row"),
        ("a.txt", "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM\n", "not allowed"),
        ("a.pickle", "cos\nsystem\n(S'touch pwned'\ntR.", "nothing of it was run"),
        ("c.json", '{"fingerprint": 3, "ceilings": 7}', "no ceilings"),
    ],
)
def test_a_damaged_or_foreign_file_is_one_line_with_its_name(write, name, content, why):
    path = write(name, content)
    with pytest.raises(DocumentError, match=why) as said:
        gather([path])
    assert path.name in str(said.value) and "\n" not in str(said.value)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(DocumentError, match="no such file"):
        gather([tmp_path / "nothing.json"])


@pytest.mark.parametrize("cut", [1, 10, 100, 300, 500])
def test_a_truncated_page_of_counters_is_read_up_to_the_cut_or_refused(tmp_path, cut):
    whole = (RECORDED / "h200_three_kernels.csv").read_bytes()
    path = tmp_path / "cut.csv"
    path.write_bytes(whole[:-cut])
    assert 1 <= len(gather([path]).counters) <= 3


def test_a_link_in_a_folder_is_not_followed(write, tmp_path):
    write("profile/trace.json", trace())
    (tmp_path / "profile" / "link.json").symlink_to(tmp_path / "profile" / "trace.json")
    assert len(gather([tmp_path / "profile"]).inputs) == 1


def test_names_that_no_terminal_should_see_are_made_harmless(write):
    table = gather([write("a.json", trace(name="evil\u001b[2J\ud800"))]).tables[0][1]
    assert "evil\ufffd[2J\ufffd" in table.names


def test_a_folder_of_counters_and_a_trace_is_read_together(write, tmp_path):
    write("profile/trace.json", trace())
    shutil.copy(RECORDED / "h200_three_kernels.csv", tmp_path / "profile")
    found = gather([tmp_path / "profile"])
    assert len(found.traces) == 1 and len(found.counters) == 3
