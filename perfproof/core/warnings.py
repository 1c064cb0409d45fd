"""The warning codes: what each means and what to do. `perfproof explain CODE` prints them, a test keeps them complete.

A code never changes a verdict. A warning asks the reader to do something before repeating the number; a note says how
the number was measured.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfproof.core.documents import Warning


@dataclass(frozen=True)
class Explanation:
    title: str  # a few words
    meaning: str  # what was seen, and what it does to the number
    remedy: str  # what to do about it


CODES: dict[str, Explanation] = {
    "W101": Explanation(
        "caches were not cold",
        "The argument sets that calls rotate over are smaller together than three times the last-level cache, so part "
        "of the data was still cached from an earlier call. Both sides had the same advantage, but a program that "
        "meets its data cold will be slower than the times shown, and a lesson about memory traffic shows less gain.",
        "Raise the sizes (--set TARGET.rows=...) until one call's data is larger than the cache, or read the ratio as "
        "a result for warm caches.",
    ),
    "W102": Explanation(
        "placement-sensitive",
        "Which side was created first moved its time by more than 2 %: where buffers and code came to lie matters. "
        "Every launch measures both orders and the ratio is balanced over them, so the ratio stands; a single program "
        "with one layout may see more or less of the gain than the ratio says.",
        "Look for buffers at an unlucky distance (a multiple of 4 KiB), unaligned data, or hash collisions. If the "
        "effect is as large as the gain, do not expect the gain in one particular program.",
    ),
    "W103": Explanation(
        "carry-over found",
        "Switching between the two sides shifts the times: what one side leaves behind (cache contents, allocator "
        "state, a thread still running) costs the other more than itself. The warning says by how much; the interval "
        "includes what the ratio may be off by.",
        "Nothing, if the interval still decides. To narrow it, find what a side leaves behind: a background thread, a "
        "growing cache, changed global settings.",
    ),
    "W104": Explanation(
        "near the empty-body floor",
        "A call takes hardly longer than a call of nothing: the time is mostly that of launching and calling. The "
        "ratio is then about overhead, and a faster kernel inside cannot show.",
        'Raise the sizes, or give the pair `clock = "kernel"` if the device\'s work alone is the subject.',
    ),
    "W105": Explanation(
        "one launch only",
        "With quick effort all processes are forked from one interpreter and share its memory layout and hash seed. "
        "The interval covers noise inside that launch, not the differences between launches, so a difference below 5 % "
        "is called `indicative` and not `faster`.",
        "Repeat with --effort standard before believing a difference of a few per cent.",
    ),
    "W106": Explanation(
        "the baseline is naive",
        "The pair calls its baseline `naive`: it is written to show the idea, not as people write it. The ratio says "
        "what the idea does; it is no headline, and summaries leave it out.",
        "Compare with an idiomatic or a vendor baseline before claiming a gain for a real program.",
    ),
    "W107": Explanation(
        "the machine is busy",
        "Other programs used the CPU when the run began. Pairing keeps the ratio honest, but intervals are wider, "
        "times are longer, and more launches are needed.",
        "Stop the other programs, or wait; `top` shows them. Compare times only with runs on a quiet machine.",
    ),
    "W108": Explanation(
        "virtual machine",
        "This machine is a guest: its cores are lent, and its neighbours and host cannot be seen. Times move by more "
        "than the guest can explain, and hardware counters are often absent.",
        "Trust the ratio and its interval; do not compare absolute times over days. A claim needs bare metal, or "
        "--effort final with --allow virtual.",
    ),
    "W109": Explanation(
        "preempted samples were left out",
        "Something stopped or slowed the process in the middle of some samples: the system ran another program, a page "
        "was read from disk, a clock disagreed. They are left out by those counters, with the samples beside them, and "
        "never because of their value. If more than 20 % of the samples are disturbed the verdict is `unstable`.",
        "Stop other programs or use fewer threads than cores (--threads); the raw samples carry the reason. On a GPU "
        "look at temperature and power limits.",
    ),
    "W111": Explanation(
        "launches fall into modes",
        "The launches form groups that agree within themselves and not with each other, for example a fast and a slow "
        "start of a thread pool. One ratio cannot describe them; the modes are listed with their share.",
        "Find what differs between launches: thread count, memory placement, autotuning, clock. Repeat with --effort "
        "final to see rarer modes.",
    ),
    "W112": Explanation(
        "the memory counter is coarse",
        "Peak memory was read from a counter that counts in large steps or includes the interpreter. Differences of "
        "the size of its step mean nothing.",
        "Raise the sizes until the difference is many steps, or measure on a device whose allocator counts bytes.",
    ),
    "W113": Explanation(
        "preparation is expensive",
        "Preparing the variant (compiling, packing, capturing) takes as long as many calls save. Below the number of "
        "calls in the warning the baseline finishes first.",
        "Compare that number with the calls a process really makes; keep what is prepared (a compile cache, packed "
        "weights on disk) if it is reused.",
    ),
    "W114": Explanation(
        "the baseline is the oracle",
        "No reference was given, so answers were compared with the baseline's: in double precision if the baseline can "
        "compute so, which shows the rounding of both sides; otherwise with the baseline's own answer, and then no "
        "side's precision is known. A mistake that both sides share cannot be seen.",
        "Add `reference` (in a script: reference=), a slow and obviously right function in higher precision.",
    ),
    "W115": Explanation(
        "the timer is coarse",
        "One step of the clock is more than 0.1 % of a sample. Differences near that share cannot be told from "
        "rounding; the band that an interval has to clear was widened by it.",
        "Raise the sizes, so that samples are longer.",
    ),
    "W116": Explanation(
        "the baseline runs differently alone",
        "In a process that never loads the variant the baseline took a different time than beside it. The variant "
        "changes something that both use: a global setting, a patched function, the number of threads.",
        "The ratio of separate processes, driven in turn, is the one to trust. Make the variant put back what it "
        "changes.",
    ),
    "W117": Explanation(
        "the clock governor saves power",
        "The CPU's frequency governor lowers the clock when a core is idle and raises it late. Short bodies are "
        "measured at a clock that depends on what ran before.",
        "Choose `performance` if you may (`cpupower frequency-set -g performance`). perfproof records the setting and "
        "never changes it.",
    ),
    "W118": Explanation(
        "the budget ended first",
        "The time given to the run (--budget), or six tenths of that given to each target (--timeout), was used up "
        "before the interval was as narrow as the effort asks. The interval is valid at its stated level; a small "
        "effect may have been missed.",
        "Give more time (--budget, --timeout), run fewer targets, or repeat this target alone.",
    ),
    "W119": Explanation(
        "preparation left threads or processes",
        "Preparing a side started threads or processes that were still there when timing began. What they do is not in "
        "the times of that side, and may slow the other.",
        "Make sure they are part of the design being compared (a pool of workers, say), and that they are idle or "
        "needed on both sides.",
    ),
    "W120": Explanation(
        "sizes were overridden",
        "The target ran at sizes other than those its file declares. The result is about those sizes; it enters no "
        "chapter table and no expectation.",
        "Run without --set and --fast for the pair's own claim.",
    ),
    "W121": Explanation(
        "inputs were seen before",
        "Drawing new inputs takes longer than the call, so part of the calls saw inputs that an earlier call had seen. "
        "A side that remembers answers by content could gain from that.",
        "Raise the sizes, so that a call takes longer than drawing its inputs, or check that no side remembers.",
    ),
    "W122": Explanation(
        "the GPU is shared",
        "Other processes compute on the GPU that is measured. Kernels of two processes take turns; times include "
        "waiting, and caches and clocks are disturbed.",
        "Choose another GPU with --device, or repeat when it is free.",
    ),
    "W123": Explanation(
        "the GPU is held back",
        "The driver reports that heat, a power brake or a slowdown holds the GPU's clocks down right now. Both sides "
        "suffer, but not always equally: one that needs more power loses more.",
        "Let it cool, check its airflow and power limit (`nvidia-smi -q -d PERFORMANCE`), and repeat.",
    ),
    "W124": Explanation(
        "CPU time is rationed",
        "The control group (a container's CPU limit) allows less CPU time than the machine has cores. When the ration "
        "of a period is used up, the process is stopped until the next one, in the middle of a sample.",
        "Raise the limit above the threads in use by at least one CPU, or use --threads 1.",
    ),
    "W125": Explanation(
        "few cores",
        "This process may use one core only, so the worker shares it with perfproof and the system, and is interrupted "
        "by both.",
        "Allow a second core (taskset, --cpus of the container).",
    ),
    "W126": Explanation(
        "what the checks could not show",
        "The line says what. An argument that every draw gives alike: no check can tell a side that reads it from one "
        "that has its value written in. Long calls or a slow reference: each process checks one side. A gradient that "
        "is all rounding: a step is all that can be compared. One side without a record for `backward`: it does less, "
        "which is lawful where no gradient is needed. The verdict holds within what the line says.",
        "Let `inputs` draw the argument, or name it in `constant` if it is the same in every call of a real program. "
        "Give both sides the same gradient mode if the program needs gradients.",
    ),
    "W127": Explanation(
        "the baseline waits",
        "The baseline's calls use little CPU time: most of their wall time goes into sleeping, locks, files or other "
        "processes. A ratio against such a baseline says how long it waits, not how fast it computes.",
        "Find what it waits for. If waiting is the subject of the pair, say so in its docstring; else remove the wait "
        "from the baseline and repeat.",
    ),
    "W128": Explanation(
        "the ratio is far beyond the predicted one",
        "The variant gains much more than the bytes, operations or launches that the pair counts can explain. Either "
        "`cost` leaves out what really takes the time, or a side does other work than the pair says.",
        "Look at what the baseline spends its time on (`perfproof profile TARGET`) and correct `cost`, or find the "
        "work that the variant leaves out.",
    ),
    "W129": Explanation(
        "the first call takes much longer",
        "The first call of a side takes much longer than a later one: it compiles, packs, allocates or fills a cache. "
        "That time is printed as set-up and is not in the times, which are those of later calls. Or the file itself "
        "takes long to load: what it works out on import is in no time at all.",
        "Compare it with the calls that a process really makes. Work that belongs before the calls can move to "
        "`prepare_<side>`; a compile cache keeps what is reused.",
    ),
    "W130": Explanation(
        "ranks are uneven",
        "The ranks of the pair take different times for the same sample. The slowest gives the value; the others wait "
        "for it in the next collective, or would in a program that goes on.",
        "Give the slowest rank less work, or find what holds it up: a core that it shares, a slower link, one thread "
        "too many. A rank that is late inside a collective shows in the others' time as well as in its own.",
    ),
    "W135": Explanation(
        "ranks are short of cores",
        "There are not enough cores for every rank to have one for its work, one for its backend's threads, and one "
        "left for the run. Collectives of many small messages take longer than where there are, and times are noisier.",
        "Allow more cores (taskset, --cpus of the container), or read the ratio as one of a crowded machine.",
    ),
    "W136": Explanation(
        "compiled while it was timed",
        "torch.compile made new graphs after the warm-up: for a shape, a flag or an object that was new to it. The "
        "seconds of compiling are in the total of the side, and the graph that is timed may not be the verified one.",
        "Make what changes between calls an argument of fixed shape, mark it as dynamic, or warm all cases up in "
        "`prepare_<side>`; TORCH_LOGS=recompiles names the reason.",
    ),
    "W137": Explanation(
        "own threads or processes share a core",
        "Workers are bound to as many cores as --threads says, so that what is measured stays in place. A side that "
        "starts threads or processes itself (a pool, a DataLoader, set_num_threads) has no more cores than that.",
        "Give the run the cores that the program will have: --threads N, and on a machine with enough of them.",
    ),
    "W138": Explanation(
        "the sides change each other's times",
        "In one process the baseline takes another time beside the variant than alone: the sides share the allocator, "
        "caches and what libraries set up. So each side was measured in processes of its own, and those are judged.",
        "Nothing, if programs use one side or the other. If both are used in one program, look for what they share: "
        "memory that one keeps, a plan or a pool that one sets up.",
    ),
    "W139": Explanation(
        "CUDA graphs were left out",
        'torch.compile was asked for CUDA graphs (mode="reduce-overhead" or "max-autotune"), and left some out: an '
        "input on the CPU, an argument that is changed in place, an operator that cannot be recorded. The variant then "
        "pays for every launch.",
        "Run with TORCH_LOGS=cudagraphs: torch says why each graph was left out.",
    ),
    "W144": Explanation(
        "the pair leaves something out",
        "A pair of your own needs only `inputs`, `baseline` and `optimized`. Without a tolerance the default of the "
        "output's type is used; without `cost` nothing is predicted; without `tier` nobody knows what kind of baseline "
        "was beaten; without a docstring a report has no lesson to show.",
        "Nothing, for a quick answer. Declare what is named before you publish the number; docs/pairs.md explains it.",
    ),
    "W145": Explanation(
        "a graph break",
        "torch.compile met code that it cannot trace, and cut the function into several graphs with Python between "
        "them. Nothing is fused across the cut, CUDA graphs cover the pieces only, and every call pays for the Python. "
        "The answers are right; the gain is often lost.",
        "Compile with fullgraph=True: torch then stops at the line. Or run with TORCH_LOGS=graph_breaks, which names "
        "each line and why.",
    ),
    "W131": Explanation(
        "little memory is free",
        "Less than a gibibyte, or less than a tenth of the memory, is free. The run's own buffers may push other "
        "programs or the page cache out, and a target may be ended by the kernel.",
        "Stop what uses the memory, lower the sizes (--set), or raise the container's limit.",
    ),
    "W132": Explanation(
        "the machine swaps",
        "Pages went to or came from swap, or tasks waited for memory, while the machine was looked at. A sample that "
        "meets a swapped page takes thousands of times longer.",
        "Free memory until `vmstat 1` shows zeros under si and so, and repeat.",
    ),
    "W133": Explanation(
        "on battery",
        "The machine is running on its battery, and holds its clocks down to make it last.",
        "Plug it in, wait a minute, and repeat.",
    ),
    "W134": Explanation(
        "the CPU is held back by heat",
        "A core was slowed because of its temperature while the machine was looked at, before the run had begun. Times "
        "will depend on how warm the machine was, and the side that computes harder loses more.",
        "Let it cool, clear its airflow, use fewer threads, and repeat.",
    ),
    "W140": Explanation(
        "the programs' outputs differ",
        "Every run of one program printed the same, every run of the other too, and the two are not equal. "
        "perfproof does not know what a whole program ought to print: it may do less, or something else.",
        "Compare the two outputs in the run's folder before repeating the ratio.",
    ),
    "W141": Explanation(
        "neighbouring runs resemble each other",
        "The machine's speed changed while the programs ran, slower than they alternated. Orders are drawn at random "
        "and balanced, so it favours neither side, but the times are not those of one state of the machine.",
        "Repeat on a quieter machine; trust the ratio more than the times.",
    ),
    "W142": Explanation(
        "a program left processes behind",
        "Processes that a program had started were there after it ended. They were ended before the next run, and "
        "what they used is in no figure.",
        "If they belong to its work, make the program wait for them; otherwise its time leaves part of it out.",
    ),
    "W143": Explanation(
        "submodules are empty",
        "The revision has git submodules. A temporary work tree holds none of their files, so the program or the pair "
        "ran without them, or took others that are installed.",
        "Compare two clones with their submodules, each by its path: --a and --b.",
    ),
    "W146": Explanation(
        "a revision lacks the pair's file",
        "The pair's file is younger than a revision that is compared. The file of the working tree was put into that "
        "checkout; the modules that it imports are those of the revision.",
        "Nothing, if the pair only calls functions that the revision has. Otherwise commit the pair first.",
    ),
    "W147": Explanation(
        "not the same as the baseline everywhere",
        "The variant gives another answer than the baseline, or raises, for values that `inputs` never draws but a "
        "caller may have: other signs, a NaN, an empty list, other letters, a missing key, another length, another "
        "weight decay, rows that are not normalised, repeated indices, a second step. Or it leaves out a check or a "
        "file. Or its result cannot be used as the baseline's: it is read-only, lies in a file, holds one list in "
        "several places, has another gradient, was rounded to float32, is overwritten by the next call. Or calls leave "
        "objects, open files or a seed. "
        "The ratio holds for what was drawn.",
        "Make the variant do what the baseline does. If a caller can never have such values, declare the `domain` of "
        'the argument with the reason in a comment ("drawn": only what `inputs` draws).',
    ),
    "W160": Explanation(
        "launch-bound",
        "The host needs about as long to queue a call as the device needs to run it, or longer. The device waits, and "
        "the call's time is that of launching: Python, the framework's dispatch, the driver. A faster kernel does not "
        "show in it.",
        "Launch less: larger batches, fused kernels, a captured graph, torch.compile. Where the kernel itself is the "
        'subject, give the pair `clock = "kernel"`.',
    ),
    "W161": Explanation(
        "hot caches would be faster",
        "Calls rotate over arguments that are larger together than the device's cache, as a program meets them. The "
        "same call on one set over and over, its data cached, is faster by more than 5 %: benchmarks that reuse one "
        "set report that figure.",
        "Use the cold time for data that comes from memory, the hot one where the call before has just written it.",
    ),
    "W162": Explanation(
        "the sides ran at different clocks",
        "The device ran one side at another clock than the other, by more than 2 %: a side that needs more power is "
        "slowed down. Time is what counts; the ratio in cycles says what would be left at equal clocks. A difference "
        "that is not there in cycles is called unstable.",
        "Look at power and temperature in the telemetry. Nothing is to be done about a side that is limited by power.",
    ),
    "W163": Explanation(
        "the kernel clock is not CUPTI's",
        "The device's own activity records could not be read, so the time of a call without launches was taken from "
        "replayed graphs, as (t(2N) - t(N)) / N, or not at all. Gaps between the kernels of a graph are part of it.",
        "Allow CUPTI (no other profiler at the same time, counters not restricted): `perfproof doctor` says what is "
        "missing.",
    ),
    "W164": Explanation(
        "the call waits for the device",
        "Something in the call returns only when the device has done what was queued: a copy to the host, `.item()`, a "
        "synchronisation. Host and device take turns, so the call's time is that of both, and no queue can be held "
        "back to leave the host's part out.",
        "If that is the subject, nothing is to be done. Else keep results on the device and read them later, or copy "
        "without waiting to page-locked memory.",
    ),
}


def warn(code: str, text: str) -> "Warning":
    """A warning for a document; the code must be one of ours."""
    from perfproof.core.documents import Warning

    if code not in CODES:
        raise ValueError(f"unknown warning code {code}: write its explanation in core/warnings.py")
    return Warning(code=code, text=text)
