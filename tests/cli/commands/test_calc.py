"""`perfproof calc`: each calculator from the command line, its formula, its JSON, its refusals."""

import json
import shlex
import subprocess
import sys

import numpy
import pytest

from perfproof.cli.calculator_commands import calculator, calculator_files, command_of
from perfproof.core import child

SEED = (
    "kv-cache --layers 80 --hidden 8192 --tokens 4096 --batch 8 --dtype fp8 --gpu-mem-gb 192 "
    "--kv-overhead-frac 0.10 --reserve-activations-gb 40"
)
LINES = {  # a command line of each calculator, and a value that it must find
    "kv-cache": (SEED, "total_bytes", 42_949_672_960),
    "weights": ("weights llama-3.1-8b", "parameters", 8_030_261_248),
    "fit": ("fit llama-3.1-8b --gpu H200", "memory", 141e9),
    "roofline": ("roofline llama-3.1-8b --bandwidth-gb-s 4800 --tflops 989", "decode_step", 0.003155),
    "cost-per-token": (
        "cost-per-token --avg-power 800 --throughput 1500 --electricity-cost 0.16 --pue 1.5 --rent 2.5",
        "price_per_mtok",
        0.46296,
    ),
    "energy": ("energy --avg-power 800 --throughput 1500 --pue 1.5", "tokens_per_joule", 1.25),
    "speculative": ("speculative --acceptance 0.8 --drafts 4", "tokens_per_step", 3.3616),
    "moe": ("moe deepseek-v3 --tokens 64", "experts_read", 222.4),
    "parallelism": ("parallelism llama-3.1-8b --gpu 'H100 SXM' --gpus 2", "plans_tried", 3),
    "goodput": ("goodput --rate 10 --attained 0.9", "request_goodput", 9.0),
    "precision": ("precision --elements 1000 --second bf16", "elements", 1000),
    "training": ("training llama-3.1-8b", "parameters", 8_030_261_248),
    "pipeline": ("pipeline --pp 8 --micro-batches 32", "bubble", 7 / 39),
    "collectives": ("collectives --ranks 8 --size 1e9 --link-gb-s 450 --link-us 5", "ring_seconds", 3.9589e-3),
    "gemm": ("gemm 4096 4096 4096 --gpu H200 --measured-us 220", "flops", 2 * 4096**3),
    "mfu": ("mfu llama-3.1-8b --gpu 'H100 SXM' --gpus 8 --throughput 70k", "mfu", 70e3 * 48.25e9 / 8 / 989.4e12),
    "scaling": ("scaling --gpus 8 --serial 0.05", "amdahl", 1 / (0.05 + 0.95 / 8)),
    "lora": ("lora llama-3.1-8b --dtype nf4 --gpu 'RTX 4090'", "adapter_parameters", 41_943_040),
    "checkpoint": ("checkpoint llama-3.1-8b --storage-gb-s 10", "checkpoint_bytes", 14 * 8_030_261_248),
    "context-parallel": ("context-parallel llama-3.1-8b --gpu H200 --tokens 128Ki", "local_tokens", 16_384),
}


@pytest.fixture
def calc(perfproof, warm_python):
    def call(line):
        return perfproof("calc", *shlex.split(line))

    return call


def test_every_calculator_has_a_line_in_this_test():
    assert set(LINES) == set(calculator_files())


@pytest.mark.parametrize("name", LINES)
def test_json_holds_the_value_its_unit_and_the_inputs(calc, name):
    line, key, expected = LINES[name]
    done = calc(line + " --json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert (document["schema_version"], document["calculator"]) == (1, name)
    assert document["values"][key]["value"] == pytest.approx(expected, rel=1e-3)
    assert document["inputs"] and set(document["values"][key]) == {"value", "unit", "note"}


@pytest.mark.parametrize("name", LINES)
def test_the_page_names_every_value_and_stays_narrow(calc, name):
    line, key, _ = LINES[name]
    done = calc(line)
    assert (done.code, done.err) == (0, "")
    assert key.replace("_", " ") in done.out
    tables = done.out.partition(":\n")[0]
    assert all(len(row) <= 100 for row in tables.splitlines()[2:])


@pytest.mark.parametrize("name", LINES)
def test_explain_prints_the_formula_and_asks_for_nothing(calc, name):
    done = calc(f"{name} --explain")
    assert done.code == 0
    first = calculator(name).__doc__.partition("\n")[0]
    assert done.out.startswith(first) and len(done.out.splitlines()) >= 5


def test_the_list_names_every_calculator_and_every_shape(calc):
    done = calc("--list")
    for name in (*calculator_files(), "llama-3.1-8b", "deepseek-v3"):
        assert f"\n  {name} " in done.out, name
    assert calc("").out == done.out
    document = json.loads(calc("--list --json").out)
    assert set(document["calculators"]) == set(calculator_files()) and len(document["shapes"]) >= 20


def test_the_form_without_kv_heads_says_what_it_assumes_in_both_units(calc):
    done = calc(SEED)
    assert "42.9 GB (40.0 GiB)" in done.out and "5.37 GB (5.00 GiB)" in done.out
    assert "warning: no --kv-heads" in done.out


def test_help_imports_no_calculator(calc, monkeypatch):
    from perfproof.cli import calculator_commands

    monkeypatch.setattr(calculator_commands, "calculator", lambda name: pytest.fail(f"{name} was imported"))
    shown = calc("--help").out
    assert all(f"  {name} " in shown for name in calculator_files())


def test_options_may_be_set_in_pyproject(calc, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.perfproof.calc]\ntokens = 17\n")
    document = json.loads(calc("kv-cache llama-3.1-8b --json").out)
    assert document["values"]["sequence_bytes"]["value"] == 17 * 131_072


def test_one_that_does_not_fit_exits_with_1(calc):
    done = calc("fit llama-3.1-70b --gpu H200")
    assert done.code == 1 and "does not fit" in done.out
    assert calc("fit llama-3.1-70b --gpu H200 --tp 4").code == 0


def test_how_many_gpus_may_be_written_with_either_name(calc):
    line = "cost-per-token --throughput 1500 --rent 2.5 --json"
    assert json.loads(calc(f"{line} --gpu 8").out)["values"] == json.loads(calc(f"{line} --gpus 8").out)["values"]
    assert "--gpus 'H200' is no number" in calc("energy --gpu H200").err
    assert json.loads(calc("training llama-3.1-8b --gpus 64 --tp 8 --json").out)["inputs"]["gpus"] == 64
    assert "not a multiple of 8" in calc("training llama-3.1-8b --gpus 60 --tp 8").err
    assert "--tp says how many" in calc("fit llama-3.1-8b --gpus 8").err


def test_a_missing_size_of_a_product_is_named(calc):
    assert "K is needed" in calc("gemm 4096 4096 --gpu H200").err
    assert "N 0: must be at least 1" in calc("gemm 4096 0 1 --gpu H200").err


def test_a_file_in_the_folder_is_a_calculator(tmp_path, monkeypatch):
    import perfproof.calc.calculators as package

    (tmp_path / "twice_it.py").write_text(
        '"""Twice a number."""\nfrom typing import Annotated\nfrom perfproof.calc.answer import Answer, Flag, Value\n'
        "def calculate(number: Annotated[float, Flag('A number.', 'X', least=1)]) -> Answer:\n"
        "    return Answer('done', (Value('twice', 2 * number),))\n"
    )
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "perfproof.calc.calculators.twice_it", raising=False)
    assert "twice-it" in calculator_files()
    assert command_of("twice-it").__doc__ == "Twice a number."


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "my-model" / "config.json"
    path.parent.mkdir()
    fields = dict(hidden_size=4096, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8)
    path.write_text(json.dumps(fields | dict(intermediate_size=14_336, vocab_size=128_256, torch_dtype="bfloat16")))
    return path


def test_a_config_of_ones_own_is_read_by_path_or_by_folder(calc, config):
    for written in (config, config.parent):
        document = json.loads(calc(f"kv-cache {written} --json").out)
        assert document["values"]["kv_bytes_per_token"]["value"] == 131_072
        assert document["headline"].startswith("my-model:")


def test_the_index_beside_it_gives_the_exact_bytes(calc, config):
    index = config.parent / "model.safetensors.index.json"
    index.write_text('{"metadata": {"total_size": 16060522496}, "weight_map": {}}')
    assert json.loads(calc(f"weights {config} --json").out)["values"]["checkpoint_bytes"]["value"] == 16_060_522_496
    index.write_text('{"weight_map": {}}')
    refused = calc(f"weights {config}")
    assert refused.code == 2 and "no metadata.total_size" in refused.err


def test_measured_ceilings_take_the_place_of_the_data_sheet(calc, tmp_path):
    def ceiling(name, value, unit):
        return dict(name=name, value=value, unit=unit, low=value, high=value, repeats=3)

    measured = [ceiling("memory/read", 4.0e12, "bytes/s"), ceiling("gemm/bf16/burst", 700e12, "flop/s")]
    document = dict(
        schema_version=1, perfproof_version="0", fingerprint="f", kind="h200", device="cuda:0", measured="now"
    )
    (tmp_path / "ceilings.json").write_text(json.dumps(document | dict(ceilings=measured)))
    done = json.loads(calc("roofline llama-3.1-8b --ceilings ceilings.json --context 1 --json").out)
    weights = 2 * (8_030_261_248 - 128_256 * 4096)
    assert done["values"]["decode_step"]["value"] == pytest.approx((weights + 131_072) / 4.0e12)


def test_a_sweep_calibrates(calc, tmp_path):
    (tmp_path / "sweep.csv").write_text(
        "batch,context,ms\n1,1024,3.9437674667\n32,1024,5.0272960\n128,1024,8.3827392\n"
    )
    done = json.loads(calc("roofline llama-3.1-8b --gpu H200 --sweep sweep.csv --json").out)
    assert done["values"]["fitted_memory_share"]["value"] == pytest.approx(0.8, rel=1e-3)


def test_requests_of_a_load_test_give_goodput(calc, tmp_path):
    (tmp_path / "requests.csv").write_text("ttft_ms,tpot_ms\n100,20\n900,20\n")
    done = json.loads(calc("goodput --rate 4 --requests requests.csv --ttft-ms 500 --json").out)
    assert done["values"]["request_goodput"]["value"] == 2.0


def test_a_tensor_of_a_file_is_compared(calc, tmp_path):
    numpy.save(tmp_path / "x.npy", numpy.array([[1.0, 1.01], [2.0, 4.0]]))
    done = json.loads(calc("precision x.npy --first fp64 --second bf16 --json").out)
    assert done["values"]["max_absolute"]["value"] == pytest.approx(1.01 - 1.0078125)
    assert "[0, 1]" in done["values"]["max_absolute"]["note"]


@pytest.mark.parametrize(
    ("line", "code", "text"),
    [
        ("kv-cache", 2, "which model? give a MODEL"),
        ("kv-cache llama-9", 5, "no shipped shape 'llama-9'"),
        ("kv-cache llama-3.1-8b --tokens 0", 2, "--tokens 0: must be at least 1"),
        ("weights", 2, "which model?"),
        ("weights broken.json", 2, "cannot be read as JSON"),
        ("weights list.json", 2, "must hold a JSON object"),
        ("fit llama-3.1-8b", 2, "which GPU?"),
        ("fit llama-3.1-8b --gpu H1000", 2, "no data sheet of 'H1000'"),
        ("fit llama-3.1-8b --gpu H100", 2, "H100 NVL or H100 PCIe or H100 SXM"),
        ("fit llama-3.1-8b --gpu H200 --prompt 12x", 2, "--prompt '12x' is no number"),
        ("kv-cache llama-3.1-8b --pp 33", 2, "32 layers"),
        ("precision a.npy b.npy", 2, "one shape"),
        ("precision --elements 0", 2, "--elements 0"),
        ("fit llama-3.1-8b --gpu 'V100 SXM2'", 2, "--gpu-mem-gb"),
        ("fit llama-3.1-8b --gpu H200 --utilisation nan", 2, "--utilisation nan: write a finite number"),
        ("roofline llama-3.1-8b --tflops 989", 2, "--bandwidth-gb-s"),
        ("roofline llama-3.1-8b --bandwidth-gb-s -1", 2, "--bandwidth-gb-s -1: must be more than 0"),
        ("roofline llama-3.1-8b --gpu H200 --sweep missing.csv", 2, "missing.csv: cannot be read"),
        ("roofline llama-3.1-8b --ceilings broken.json", 2, "holds no ceilings"),
        ("roofline llama-3.1-8b --gpu H200 --prompt 10 --cached 10", 2, "--cached 10: must be less"),
        ("cost-per-token --avg-power 800", 2, "--throughput is needed"),
        ("goodput", 2, "--rate is needed"),
        ("precision --second fp7", 2, "'fp7' is unknown"),
        ("precision missing.npy", 2, "missing.npy: cannot be read"),
        ("moe llama-3.1-8b", 2, "has no experts"),
        ("unknown", 2, "no command 'unknown'"),
    ],
)
def test_refusals_are_one_line_with_what_to_do(calc, tmp_path, line, code, text):
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    numpy.save(tmp_path / "a.npy", numpy.ones(3))
    numpy.save(tmp_path / "b.npy", numpy.ones(4))
    refused = calc(line)
    assert (refused.code, refused.out) == (code, "")
    assert text in refused.err and refused.err.count("\n") == 1


def test_a_worker_that_dies_is_a_crash_not_a_result(calc, monkeypatch):
    from perfproof.core import child

    monkeypatch.setattr(child, "python", lambda: [sys.executable, "-c", "import sys; sys.exit('out of memory')"])
    refused = calc("precision")
    assert refused.code == 4 and "out of memory" in refused.err


@pytest.mark.parametrize("arguments", [["--help"], ["kv-cache", "--help"], ["--list"], ["kv-cache", "llama-3.1-8b"]])
def test_calculating_loads_nothing_heavy(arguments):
    heavy = ("torch", "triton", "numpy", "scipy", "pydantic", "rich")
    code = (
        f"import sys; from perfproof.cli.app import main; main(['calc', *{arguments!r}]);"
        f"sys.exit(' '.join(name for name in {heavy!r} if name in sys.modules) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (0, "")


def test_precision_itself_loads_no_torch(calc, monkeypatch):
    """The process that computes with torch is started once, here, and its answer is given to an interpreter without."""
    answers = []

    def ask(*given, **settings):
        answers.append(usual(*given, **settings))
        return answers[-1]

    usual = child.ask
    monkeypatch.setattr(child, "ask", ask)
    assert calc("precision --elements 10").code == 0
    code = (
        "import sys; from perfproof.core import child; from perfproof.cli.app import main;"
        f"child.ask = lambda *_, **__: child.Answer(**{vars(answers[0])});"
        "code = main(['calc', 'precision', '--elements', '10']);"
        "sys.exit(code or int('torch' in sys.modules or 'numpy' in sys.modules))"
    )
    command = ["env", sys.executable, "-c", code]  # really started: a fork of the warm one has torch
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_numbers_may_be_written_short_in_every_option(calc):
    short = json.loads(calc("fit llama-3.1-8b --gpu H200 --prompt 128k --output 1e3 --gpu-mem-gb 0.1k --json").out)
    long = json.loads(calc("fit llama-3.1-8b --gpu H200 --prompt 128000 --output 1000 --gpu-mem-gb 100 --json").out)
    assert short == long and short["inputs"]["prompt"] == 128_000
    assert json.loads(calc("precision --elements 1e3 --json").out)["values"]["elements"]["value"] == 1000


def test_two_saved_outputs_are_compared_as_they_are(calc, tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.array([1.0, 2.0, 3.0, 4.0], dtype=numpy.float32))
    numpy.save(tmp_path / "b.npy", numpy.array([1.0, 2.0, 3.0, 4.001], dtype=numpy.float16))
    found = json.loads(calc("precision a.npy b.npy --json").out)
    assert found["values"]["max_absolute"]["value"] == pytest.approx(abs(float(numpy.float16(4.001)) - 4), abs=1e-9)
    assert "a.npy (fp32)" in found["headline"] and "b.npy (fp16)" in found["headline"]
    same = json.loads(calc("precision a.npy a.npy --json").out)["values"]
    assert same["max_absolute"]["value"] == 0 and same["cosine"]["value"] == pytest.approx(1)


def test_a_memory_that_was_given_is_not_called_the_data_sheets(calc):
    given = json.loads(calc("fit llama-3.1-8b --gpu B200 --gpu-mem-gb 192 --json").out)["values"]["memory"]
    sheet = json.loads(calc("fit llama-3.1-8b --gpu B200 --json").out)["values"]["memory"]
    assert "as given" in given["note"] and "data sheet" not in given["note"] and "HGX B200 data sheet" in sheet["note"]


def test_the_list_says_where_figures_come_from(calc):
    listed = json.loads(calc("--list --json").out)
    assert all(one["source"] for part in ("shapes", "gpus") for one in listed[part].values())
    assert listed["gpus"]["V100 PCIe"]["memory_gb"] is None  # sold with 16 GB and with 32
    assert "MI355X" in calc("--list").out
