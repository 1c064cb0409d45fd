"""Pasted nsys and ncu lines are corrected as the tools want them, with the reason; right lines are left alone."""

import shlex

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from perfproof.core.errors import UsageError
from perfproof.profile.lint.lint import lint
from perfproof.profile.lint.tables import known_options, rules

WRONG_NSYS = (
    "nsys profile --force-overwrite=true -o hta_report -t cuda,nvtx,osrt,cudnn,cublas,nccl -s cpu "
    "--python-sampling=true --python-sampling-frequency=1000 --cudabacktrace=true --cudabacktrace-threshold=0 "
    "--gpu-metrics-device=all --stats=true --capture-range=cudaProfilerApi --capture-range-end=stop "
    "--capture-range-op=both --multi-gpu=all python your_script.py"
)
WRONG_NCU = (
    'ncu --mode=launch --target-processes=python3 --set full --kernel-regex ".*" --sampling-interval 1 '
    "--sampling-max-passes 5 --sampling-period 1000000 --export csv -o ncu_report python your_script.py"
)
RIGHT = [
    "nsys profile -o R -f true -t cuda,nvtx,osrt,cublas,cudnn -s process-tree --cuda-graph-trace=node "
    "--cuda-memory-usage=true --capture-range=cudaProfilerApi --capture-range-end=stop "
    "--gpu-metrics-devices=cuda-visible python -u app.py",
    "nsys profile --python-sampling=true --python-sampling-frequency=100 --cudabacktrace=kernel:10000,sync:10000 ./app",
    "nsys stats --force-export=true -r cuda_gpu_kern_sum --format csv R.nsys-rep",
    "ncu -f -o R --target-processes all -k regex:gemm -s 5 -c 3 --nvtx --nvtx-include 'step/' --clock-control none "
    "--cache-control none --replay-mode kernel --metrics gpu__time_duration.sum,launch__grid_size python app.py",
    "ncu -i R.ncu-rep --page raw --csv --print-units base --print-metric-instances none",
]


def words(text):
    return shlex.split(lint(text).line)


def whys(text):
    return {finding.what: finding.why for finding in lint(text).findings}


def test_the_wrong_nsys_line_becomes_right():
    assert words(WRONG_NSYS) == shlex.split(
        "nsys profile --force-overwrite=true -o hta_report -t cuda,nvtx,osrt,cudnn,cublas,nccl -s process-tree "
        "--python-sampling=true --python-sampling-frequency=1000 --cudabacktrace=kernel:10000,sync:10000 "
        "--gpu-metrics-devices=all --stats=true --capture-range=cudaProfilerApi --capture-range-end=stop "
        "python your_script.py"
    )


def test_the_wrong_ncu_line_becomes_right():
    assert words(WRONG_NCU) == shlex.split(
        "ncu --target-processes=all --target-processes-filter regex:python3 --set full -k regex:.* "
        "--warp-sampling-interval=1 --warp-sampling-max-passes=5 --csv --page=raw --log-file ncu_report.csv "
        "-o ncu_report python your_script.py"
    )


@pytest.mark.parametrize("line", RIGHT)
def test_a_right_line_is_left_alone(line):
    linted = lint(line)
    assert linted.line == line and linted.findings == []


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ('ncu --kernel-regex "gemm" your_script.py', 'ncu -k regex:"gemm" python your_script.py'),
        ("nsys profile --trace=cuda,cudamemcpy a.py", "nsys profile --trace=cuda python a.py"),
        ("nsys profile -t nvlink ./app", "nsys profile -t cuda --gpu-metrics-devices=all ./app"),
        ("nsys profile --cudabacktrace=true --cudabacktrace-threshold=500 ./a",
         "nsys profile --cudabacktrace=kernel:500,sync:500 ./a"),
        ("nsys profile --cudabacktrace=false ./a", "nsys profile --cudabacktrace=none ./a"),
        ("nsys -t cuda ./app", "nsys profile -t cuda ./app"),
        ("nv-nsight-cu-cli --kernel-regex-base mangled ./app", "ncu --kernel-name-base=mangled ./app"),
        ("ncu --sampling-interval 1000000 ./app", "ncu --warp-sampling-interval=auto ./app"),
        ("ncu --target-processes=python3 --target-processes-filter regex:x ./app",
         "ncu --target-processes=all --target-processes-filter regex:x ./app"),
        ("ncu --export csv ./app", "ncu --csv --page=raw --log-file ncu.csv ./app"),
        ("ncu --export csv --page details ./app", "ncu --csv --log-file ncu.csv --page details ./app"),
        ("ncu --metrics gpu__time_elapsed.avg ./app", "ncu --metrics=gpu__time_duration.sum ./app"),
        ("ncu --metrics sm__throughput.avg.pct ./app",
         "ncu --metrics=sm__throughput.avg.pct_of_peak_sustained_elapsed ./app"),
        ("ncu --metrics dram__throughput.max.pct_of_peak,gpu__time_duration.sum ./app",
         "ncu --metrics=dram__throughput.max.pct_of_peak_sustained_elapsed,gpu__time_duration.sum ./app"),
        ("ncu --metrics sm__throughput.pct_active ./app",
         "ncu --metrics=sm__throughput.avg.pct_of_peak_sustained_active ./app"),
        ("ncu --kernel-regex $K -o $OUT/r ./app", "ncu -k regex:$K -o $OUT/r ./app"),
    ],
)  # fmt: skip
def test_each_wrong_form_has_a_right_one(line, right):
    linted = lint(line)
    assert linted.line == right and linted.wrong


def test_every_row_of_the_table_takes_effect():
    for tool, start in (("nsys", "nsys profile"), ("ncu", "ncu")):
        for flag in rules()[tool]["gone"]:
            assert lint(f"{start} {flag}=1 ./app").line == lint(f"{start} {flag} 1 ./app").line == f"{start} ./app"
        for flag, rule in rules()[tool]["renamed"].items():
            assert lint(f"{start} {flag} 1 ./app").line == f"{start} {rule['to']}=1 ./app"
            assert rule["to"] in known_options()[tool]["known"]
    assert all(trace not in known_options()["nsys"]["trace"] for trace in rules()["nsys"]["traces"])


@pytest.mark.parametrize("line", ["", "  ", "foo bar", "python a.py\nls"])
def test_a_text_without_a_profiler_is_refused_and_not_called_right(line):
    with pytest.raises(UsageError, match="no nsys or ncu"):
        lint(line)


def test_a_line_over_several_lines_is_one_command():
    assert lint("nsys profile \\\n  -s cpu \\\n  ./app").line == "nsys profile -s process-tree ./app"


def test_each_command_of_a_script_is_corrected_and_the_rest_kept():
    text = "# profile\nnsys profile -s cpu ./app\necho  done"
    assert lint(text).line == "# profile\nnsys profile -s process-tree ./app\necho  done"


@pytest.mark.parametrize(
    ("line", "what", "said"),
    [
        ("nsys profile -t nccl ./app", "nccl", "2025.6.1"),
        ("nsys profile -t cupti ./app", "cupti", "not a trace that is known here"),
        ("nsys profile torchrun --nproc_per_node=2 a.py", "torchrun", "put nsys around each rank"),
        ("ncu torchrun a.py", "several ranks", "NCCL's wait for ever"),
        ("ncu --set full ./app", "--set full", "37 times"),
        ("ncu --no-such-thing ./app", "--no-such-thing", "`ncu --help` says"),
        ("ncu --metrics sm__warp_active.avg ./app", "sm__warp_active.avg", "the nearest on GH100"),
        ("perf record -p $(pgrep python)", "pgrep python", "every Python"),
        ("sudo sysctl -w kernel.perf_event_paranoid=-1", "perf_event_paranoid", "CPU sampling"),
        ("export TRITON_PROFILER=1", "TRITON_PROFILER=", "no such variable"),
        ("TRITON_LOGGING=1 python a.py", "TRITON_LOGGING=1 python a.py", "there is no nsys or ncu in it"),
    ],
)
def test_what_the_line_alone_cannot_decide_is_advice(line, what, said):
    linted = lint(line)
    assert linted.line == line and not linted.wrong
    assert said in whys(line)[what]


def test_metrics_are_held_against_the_chip_that_is_given():
    line = "ncu --metrics sm__mem_tensor_reads.sum ./app"
    assert lint(line).findings == [] and lint(line, "GB100").findings == []
    assert "not on GH100" in lint(line, "GH100").findings[0].why


@pytest.mark.parametrize("line", [WRONG_NSYS, WRONG_NCU, *RIGHT])
def test_the_corrected_line_is_right(line):
    once = lint(line)
    again = lint(once.line)
    assert again.line == once.line and not again.wrong


FLAGS = sorted(
    {
        *(flag for tool in ("nsys", "ncu") for flag in known_options()[tool]["known"]),
        *(flag for tool in ("nsys", "ncu") for flag in (*rules()[tool]["gone"], *rules()[tool]["renamed"])),
        *("--mode", "--kernel-regex", "--cudabacktrace-threshold", "--csv", "-o", "-t", "-s", "--metrics", "--nothing"),
    }
)
VALUES = st.sampled_from(
    ["csv", "cpu", "launch", "true", "0", "python3", "cuda,nvlink", "nvlink", '".*"', "'a b'", "$X", "flop_count_sp,x",
     "a=b", "99", "regex:x", "--", "-", "", '"', "a.py"]
)  # fmt: skip
OPTIONS = st.builds(
    lambda flag, mark, value: f"{flag}{mark}{value}", st.sampled_from(FLAGS), st.sampled_from("= "), VALUES
)
LINES = st.builds(
    lambda start, options, end: " ".join([start, *options, end]),
    st.sampled_from(["nsys profile", "nsys", "ncu", "X=1 sudo ncu", "nv-nsight-cu-cli", "nsys stats"]),
    st.lists(OPTIONS, max_size=6),
    st.sampled_from(["python a.py", "a.py", "-- a.py", "./app -x", "torchrun a.py", ""]),
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(LINES, st.text(max_size=60), st.text(alphabet="ncu sy-=\"'\\$\n ot", max_size=60)))
@example("ncu \\")
@example("nsys profile -o 'a\nb' x")
def test_no_line_breaks_the_linter_and_correcting_twice_changes_nothing(text):
    try:
        once = lint(text)
    except UsageError:
        return
    again = lint(once.line)
    assert again.line == once.line
    assert not again.wrong
