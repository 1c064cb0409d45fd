"""How often does a diagnosis name the right cause first? Small programs with one known fault each, and healthy ones.

    python benchmarks/diagnosed.py                    all programs of benchmarks/slow_programs, on this CPU
    python benchmarks/diagnosed.py --only csv_ ok_    those whose names begin so

Each is recorded and diagnosed with the commands that a user types. The first forty programs and their CAUSES were
written from docs/diagnose.md alone, the next 24 before the rules were read, six after, the others before. The rules
have since been changed for some of all, so that this is a test of what is known; a rate for unknown programs needs new
ones.
A finding is right if it comes first, is above low, is of one of the rules, and has the word (a function, for instance).
A healthy program is right if nothing is above low. Exits with 1 if fewer than 90 % are right.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from heading import heading

FOLDER = Path(__file__).parent / "slow_programs"
RIGHT = 0.9
ANY = "*"
OWN_FILE = "the_program.py"
CAUSES = {  # cause; rules that name it; a word that the finding must have
    "tok_in_loop": (
        "the reviews are tokenised in Python inside the loop",
        "python_code input_bound host_work",
        "encode",
    ),
    "fsync_log": (
        "every metric of every step is flushed to the disk",
        "host_waits python_code host_work",
        "log_metrics",
    ),
    "item_per_element": ("every prediction is read on its own", "small_kernels host_sync", ""),
    "rows_loop": ("a Python loop normalises one row at a time", "small_kernels", ""),
    "cat_growth": ("the index is copied once more for every batch", "data_movement", "cat"),
    "tiny_ops_cell": ("a hand-written cell makes many tiny operators per time step", "small_kernels", ""),
    "dense_scores": ("attention writes its scores to memory", "unfused_attention", ""),
    "float64_by_accident": ("the model computes in float64", "wrong_precision", ""),
    "one_thread": ("products run on one of several cores", "*", "thread"),
    "weight_casts": ("the weights are converted to bfloat16 in every call", "data_movement", ""),
    "dataset_copy": (
        "the dataset is deep-copied in every epoch",
        "python_code input_bound host_work",
        "shuffled|deepcopy",
    ),
    "compile_shapes": ("the model is compiled again for every length", "recompiles", ""),
    "lock_sleep": ("the step waits for a lock that another thread holds", "host_waits", ""),
    "decompress": ("every sample is decompressed when it is asked for", "input_bound", "__getitem__|decompress"),
    "checkpoint_step": ("a checkpoint is written in every step", "python_code", "save|checkpoint"),
    "frozen_gradients": ("gradients are computed for weights that no optimizer updates", "*", "gradient"),
    "validate_step": ("a whole validation runs in every step", "*", "validat"),
    "channels_last": ("the layout is converted twice in every stage", "data_movement", ""),
    "json_requests": ("requests are parsed from JSON", "python_code host_work input_bound", "json|handle"),
    "cache_miss": (
        "the position table is made again for every request",
        "python_code host_work input_bound repeated_calls",
        "position_table",
    ),
    "slow_rank": ("rank 1 has eight times the work of rank 0", "straggler", "1"),
    "full_sort": ("all scores are sorted for the best five", "costly_operators", ""),
    "print_tensors": ("tensors are printed into the log in every step", "python_code", "log"),
    "csv_rows": ("dates are parsed in Python, row by row", "python_code repeated_calls", "minutes"),
    "list_concat": ("the list is copied for every row that is added", "python_code growing_work", "flatten"),
    "poll_sleep": ("the server sleeps although work arrives", "host_waits", "sleep|poll_sleep.py:"),
    "list_collate": ("batches are made from Python lists of floats", "input_bound", "collate"),
    "small_files": ("every clip is read from its own text file", "input_bound python_code", "loadtxt|clips"),
    "slow_backend": ("every request waits for the feature store", "host_waits input_bound", "features"),
    "ema_deepcopy": ("the model is deep-copied in every step", "python_code", "deepcopy|copies|copying"),
    "optimizer_loop": ("the optimizer makes operators for each small parameter", "small_kernels", ""),
    "mask_each_call": ("a large mask is made in every layer", "data_movement", ""),
    "regex_words": ("a regular expression that backtracks takes the time", "*", "is_clean|match|regular"),
    "sqlite_scan": ("a query without an index scans the table for every order", "*", "execute|sqlite_scan.py:17"),
    "await_each": ("requests are awaited one after another", "host_waits input_bound", "rank|embed|sleep|await"),
    "pool_pickle": ("the whole series is pickled for every task", "*", "pickl|serialis|send|dumps|_handle_tasks"),
    "gil_threads": ("threads run pure Python, one at a time", "*", "is_prime|count|GIL|interpreter lock"),
    "object_prices": ("arithmetic on an array of Python objects", "*", "object|object_prices.py:1[01]"),
    "append_window": ("the history is copied for every value", "*", "append|copied|copying an array"),
    "bad_fields": ("an exception per field", "*", "convert|exception"),
    "rollout_single": ("the policy is called for one observation at a time", "small_kernels", ""),
    "dense_graph": ("a sparse adjacency matrix is multiplied as a dense one", "*", "zero|sparse|@|mm"),
    "eval_graphs": ("an evaluation keeps graphs for gradients", "*", "gradient|no_grad|inference_mode"),
    "many_threads": ("32 threads on few cores", "*", "thread"),
    "inverse_again": ("the same matrix is inverted again and again", "*", "whiten|inv"),
    "config_again": ("the settings are parsed from YAML in every step", "*", "setting|yaml"),
    "debug_strings": ("strings are made for log lines that are dropped", "*", "repr|debug|debug_strings.py:2[5-9]"),
    "count_matmul": ("a product of integers, which no BLAS computes", "*", "similar|int64|integer|matmul"),
    "loss_history": ("the mean over all losses is computed again in every step", "*", "progress"),
    "workers_epoch": ("the loader's workers are started again in every epoch", "*", "worker"),
    "column_walk": ("columns of a row-major array are read, with large strides", "*", "stride|layout|column|robust"),
    "onehot_embed": ("a lookup is made with a one-hot product", "*", "one_hot|onehot|zero|embed"),
    "reread_rules": ("the price list is read and parsed again for every request", "*", "price|same arguments"),
    "seen_list": ("a value is searched in a growing list", "*", "the_program.py:1[3-6]"),
    "sparse_assign": ("elements of a CSR matrix are set one by one", "*", "the_program.py:9|sparse"),
    "half_numpy": ("products of float16 in NumPy, which no BLAS computes", "*", "float16|half"),
    "one_lock": ("all threads compress under one lock", "host_waits gil_bound", "lock|worker"),
    "memo_align": ("the same sub-problems are solved again and again", "*", "same arguments|recurs"),
    "pop_front": ("the first element of a long list is removed", "*", r"pop\b|the_program.py:2[0-2]"),
    "strptime_rows": ("a date is parsed with strptime per line", "*", "strptime"),
    "commit_each": ("a transaction is committed per row", "*", "commit|the_program.py:1[5-7]"),
    "n_plus_one": ("two queries per order", "*", "execute|user_of|city_of|quer"),
    "full_svd": ("all singular vectors are computed for four of them", "*", "svd"),
    "prefix_again": ("the whole prefix is computed again per token", "*", "grow|prefix|cache|generate"),
    "padded_batches": ("most of every batch is padding", "*", "pad|zero"),
    "spawn_each": ("two processes are started per file", "*", "subprocess|process"),
    "straggler_chunk": ("one chunk has almost all of the work", "*", "chunk|worker|idle|core|uneven"),
    "blocking_handler": ("a coroutine blocks the event loop", "*", "loop|look_up|recv"),
    "gc_every_step": ("the garbage collector runs in every step", "*", "gc|garbage|collect"),
    "backtracking": ("a regular expression backtracks", "*", "regular|is_heading|match"),
    "huge_broadcast": ("a difference of all pairs is written to memory", "*", "assign|broadcast|memory"),
    "deepcopy_search": ("the board is deep-copied per move", "*", "deepcopy|copies|copying"),
    "anomaly_mode": ("anomaly detection is left on", "*", "anomaly"),
    "yaml_labels": ("YAML is parsed by the loader that is written in Python", "*", "yaml"),
    "tiny_futures": ("a future per tiny task", "*", "submit|as_completed|future|norms|lock"),
    "stats_per_item": ("the mean and deviation of all data are computed per item", "*", "normalise"),
    "negative_choice": ("the distribution is summed again per draw", "*", "choice|train_pair"),
    "bytes_growth": ("a growing buffer is copied and searched per chunk", "*", "message|the_program.py:(9|1[0-3])"),
    "worker_threads": ("eight threads in each of four processes on few cores", "*", "thread"),
    "stateful_char_model": ("each backward pass goes through all chunks before", "*", "detach|longer"),
    "ctr_ranking": ("all rows of an embedding table are updated for the few that were read", "*", "embedding|sparse"),
    "completion_server": ("the whole prefix is computed again per token", "*", "again|cache|complete"),
    "pets_transfer": ("gradients of a backbone that no optimizer updates", "*", "gradients of weights"),
    "support_tickets_nb": ("most of every batch is padding", "*", "padding"),
    "detector_eval": ("boxes are compared one by one, on tensors of one element", "*", "suppress|overlap"),
    "dqn_buffer": ("random places of a long deque are read", "*", r"sample \(|deque"),
    "slide_patches": ("an archive's whole array is unpacked per item", "*", "__getitem__|archive"),
    "tenant_redaction": ("more patterns than the re module remembers are compiled anew", "*", "redact|compil"),
    "scoring_gateway": ("a batcher waits for callers that do not exist", "host_waits", "gather_batch"),
    "warehouse_sim": ("all events are sorted for each that is added", "*", r"schedule \(|sort"),
    "ridge_search": ("a table of 58 MB is pickled for each task", "*", "sending|pickl"),
    "rod_calibration": ("a Jacobian by one backward pass per output", "*", "jacobian"),
    "lesion_segmentation": ("tensors are formatted for log lines that are dropped", "*", "logging"),
    "acquisition_search": (
        "an unchanged matrix is factorised at each call",
        "repeated_calls costly_operators",
        r"posterior \(|kernel",
    ),
    "room_augment": ("a long filter is applied directly instead of by FFT", "*", r"apply \(|fft|conv1d"),
    "load_forecast": ("the whole backtest runs after each training step", "*", "backtest|validat"),
    "parcel_tiles": ("a loader's workers are started again for two batches each", "*", "starting|worker"),
    "passage_embedder": ("bfloat16 on a CPU that does not multiply it", "*", "bfloat16"),
    "feature_backfill": ("a column without an index is searched for each customer", "*", "index|history"),
    "metrics_relay": ("two small sends per request, without TCP_NODELAY", "*", "write_frame|read_exact|NODELAY"),
    "position_risk": ("arithmetic on an array of Python objects", "*", "object"),
    "invoice_pipeline": ("the whole stack with its source is collected per note", "*", r"note \(|stack"),
    "train_ctr": ("all rows of an embedding table are updated for the few that were read", "*", "embedding"),
    "digit_classifier": ("an archive's whole array is unpacked per item", "*", "archive"),
    "intent_model": ("garbage is collected after every step", "*", "garbage"),
    "score_server": ("a batcher waits for callers that do not exist", "host_waits", "_collect"),
    "log_alerts": ("more patterns than the re module remembers are compiled anew", "*", "compil"),
    "bpe_pipeline": ("a cache whose key has a position in it never hits", "useless_cache", "_encode_word"),
    "dqn_corridor": ("a replay memory is rolled for every push", "*", "roll"),
    "finetune_textures": ("gradients of a trunk that no optimizer updates", "*", "gradients of weights"),
    "neighbour_features": ("a table of 15 MB is pickled for each task", "*", "sending"),
    "async_ranker": ("a blocking lookup holds up the event loop", "blocked_loop", "lookup"),
    "segment_eval": ("a confusion matrix is filled pixel by pixel", "*", r"update \("),
    "station_features": ("arithmetic on arrays of Python objects", "*", "object"),
    "ads_click_model": ("all rows of an embedding table are updated for the few that were read", "*", "embedding"),
    "fewshot_parts": ("a loader's workers are started again for every task", "*", "starting"),
    "genome_windows": ("places in a gzip file are gone to, each from its beginning", "*", "compressed"),
    "llm_chat_server": ("the whole prefix is computed again per token", "*", "computed again"),
    "md_forces": ("one backward pass over the whole batch per replica", "*", "backward|retain_graph"),
    "quote_gateway": ("a blocking socket holds up the event loop", "blocked_loop", "_exchange"),
    "risk_pricer": ("a cache is smaller than what is gone through in turns", "useless_cache", "averaging_weights"),
    "sensor_pipeline": ("stages poll each other with sleeps", "host_waits", r"(put|get) \("),
    "spectral_scenes": ("an array of all pairs is written to memory", "operands", "pairs"),
    "speech_trainer": ("tensors are formatted for log lines that are dropped", "*", "logging"),
    "vector_search": ("a product of float16 in NumPy", "*", "float16"),
    "warehouse_planner": ("the whole state is deep-copied for each move", "*", "copying|deepcopy"),
    "swarm_search": ("shared state is read element by element from another process", "*", r"move \(|prox"),
    "batch_server": ("a batch always waits its whole window", "host_waits", "collect"),
    "feature_fetch": ("the lock of the cache is held while a key is read from far away", "*", r"get \(|lock"),
    "fed_rounds": ("weights travel as JSON lists", "python_code host_work", "json|pack"),
    "lit_tagger": ("tensors are formatted for a log that is off", "python_code", "on_after_backward"),
    "passage_search": ("float16 products in NumPy", "operands", "score"),
    "per_dqn": ("all priorities are worked out anew for each batch", "python_code input_bound host_work", "sample"),
    "reverb_augment": ("a long convolution in the direct way", "*", "convolve"),
    "guided_sampler": ("unchanged prompts are encoded in every step", "*", "encode|predict|forward"),
    "sweep_ridge": ("svd computes square matrices that are not used", "*", "svd"),
    "seqcls_eval": ("batches are mostly padding", "operands", "padding|filled"),
    "manifest_prep": ("YAML is parsed by the loader in Python", "python_code", "load_session|yaml"),
    "shard_stream": ("an array of an archive is unpacked for every sample", "python_code input_bound", "window"),
    "vision_trainer": ("bfloat16 on a CPU without it", "wrong_precision", ""),
    "adapter_tune": ("a full weight is made for a few rows", "*", "forward"),
    "bootstrap_eval": ("a large matrix is sent with every task", "python_code", "sending"),
    "citation_sage": ("rows of a matrix that is stored by columns", "python_code input_bound host_work", "neighbours"),
    "decay_grid": ("the same function is compiled for every configuration", "python_code", "numba"),
    "dialog_sft": ("garbage is collected in every step", "python_code", "garbage"),
    "encoder_pretrain": ("bfloat16 on a CPU without it", "wrong_precision", ""),
    "passage_store": ("lookups without an index", "python_code", "get"),
    "phrase_decode": ("hypotheses are copied before most of them are dropped", "python_code", "advance"),
    "pole_agent": ("all priorities are worked out anew for each batch", "python_code input_bound host_work", "sample"),
    "ranker_fit": ("tensors are formatted for a log that is off", "python_code", "after_backward"),
    "reply_server": ("a batch always waits its whole window", "host_waits", "collect"),
    "span_tagger": ("loader workers are started for every validation", "python_code", "starting"),
    "tile_train": ("a shard is unpacked for nearly every sample", "python_code input_bound", "_open|images"),
    "cortex_sim": ("conductances decay to subnormal numbers", "operands", "subnormal"),
    "pack_shards": ("a writer thread spins on an empty deque", "busy_wait", "drain"),
    "tenant_scoring": ("a cache of sixteen models is asked for 24 in turn", "useless_cache", "model_for"),
    "session_retention": ("rows are deleted that another table points to without an index", "python_code", "purge"),
    "rank_service": ("a writer thread spins on an empty deque", "busy_wait", "run"),
    "choice_model_fit": ("the gradient comes from finite differences", "python_code", "differences"),
    "feature_http": ("small packets wait for a delayed acknowledgement", "host_waits", "both ends"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[""], help="beginnings of names")
    options = parser.parse_args()
    rows = [told(path) for path in sorted(FOLDER.glob("*.py")) if path.stem.startswith(tuple(options.only))]
    right = sum(good for good, _ in rows)
    table = ["| program | cause | first finding | |", "|---|---|---|---|", *(line for _, line in rows)]
    print("\n".join([*heading("cpu"), "", *table, "", f"{right} of {len(rows)} right"]))
    sys.exit(right < RIGHT * len(rows))


def told(path: Path) -> tuple[bool, str]:
    """Whether the diagnosis is right, and a row of the table."""
    findings = diagnosed(path)
    good = findings is not None and is_right(path.stem, findings)
    first = "no diagnosis" if findings is None else ", ".join(map(short, findings[:1])) or "nothing"
    cause = CAUSES[path.stem][0] if path.stem in CAUSES else "healthy"
    return good, f"| {path.stem} | {cause} | {first} | {'right' if good else 'wrong'} |"


def diagnosed(path: Path) -> list[dict[str, Any]] | None:
    """The findings; None if one of the two commands failed."""
    command = [sys.executable, path.name]
    tool = []
    if "init_process_group" in path.read_text():
        command, tool = ["torchrun", "--nproc-per-node", "2", path.name], ["--tool", "trace-ranks"]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, folder)
        run = said(["perfproof", "profile", *tool, "--", *command], folder)
        found = [line.split()[1:] for line in run.splitlines() if line.startswith("next  perfproof diagnose ")]
        answer = said([*found[-1], "--json"], folder) if found else ""
        return json.loads(answer)["findings"] if answer else None


def said(command: list[str], folder: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False).stdout


def is_right(name: str, findings: list[dict[str, Any]]) -> bool:
    above = [one for one in findings if one["confidence"] != "low"]
    if name not in CAUSES or not above:
        return name not in CAUSES and not above
    _, rules, word = CAUSES[name]
    named = rules == ANY or above[0]["rule"] in rules.split()
    return (
        named and re.search(word.replace(f"{name}.py", OWN_FILE), words_of(name, above[0]), re.IGNORECASE) is not None
    )


def words_of(name: str, finding: dict[str, Any]) -> str:
    """What the finding says. Its experiment repeats the command, and the program's name has the cause in it."""
    proofs = [f"{proof['text']} {proof['place']}" for proof in finding["evidence"]]
    return " ".join([finding["title"], *proofs, finding["advice"]]).replace(f"{name}.py", OWN_FILE)


def short(finding: dict[str, Any]) -> str:
    share = "" if finding["share"] is None else f", {100 * finding['share']:.0f} %"
    return f"`{finding['rule']}` ({finding['confidence']}{share})"


if __name__ == "__main__":
    main()
