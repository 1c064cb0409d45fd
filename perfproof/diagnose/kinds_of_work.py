"""Work that has a name: functions of libraries that take time outside of operators, and what to do about each."""

from dataclasses import dataclass
from functools import lru_cache

from perfproof.profile.children.sampling import COLLECTING, DATABASES, ONE_CALL

NUMPY_FUNCTIONS = ("numpy.lib._function_base_impl", "numpy.lib.function_base")  # by version

STARTED = ("fork", "spawn_posix", "forkserver")


@dataclass(frozen=True)
class Kind:
    """Work that has a name: modules of libraries, or functions of them, that do it."""

    what: str
    begins: tuple[str, ...]
    advice: str
    has_effect: bool = False  # or looks at the program's state: that its arguments are the same says nothing
    may_be_due: bool = False  # it is often what the program is for: then it is only a hint


STARTING = Kind(
    "starting and ending processes",
    (
        "subprocess:_execute_child",
        *(f"torch.utils.data.dataloader:{name}" for name in ("_get_iterator", "_shutdown_workers")),
        *(f"multiprocessing.popen_{how}:_launch" for how in STARTED),
    ),
    "keep the processes: persistent_workers=True, one pool for all of the work",
    has_effect=True,
)
MATCHING = Kind(
    "matching regular expressions",
    ("re:", "re.", "regex."),
    "no repeats inside of repeats ((a+)*), which try every way to split a text that does not match; compile the "
    "pattern once; methods of str where they do",
)
COMPILING = Kind(
    "compiling regular expressions",
    ("re._compiler:", "re._parser:", "sre_compile:", "sre_parse:"),
    "re.compile each pattern once and keep it: the re module remembers few hundred patterns, and with more it compiles "
    "each of them anew; or join them in one pattern (a|b|c)",
)
KINDS = (
    Kind(
        "logging and printing",
        ("logging:", "logging.", "torch._tensor_str:", "torch.utils.tensorboard", "wandb.", "builtins:print"),
        "log every hundredth step, numbers instead of tensors, and do not flush each line",
        has_effect=True,
    ),
    Kind(
        "saving checkpoints",
        ("torch.serialization:save", "torch.serialization:_save", "torch.distributed.checkpoint", "safetensors."),
        "save every few minutes, or copy the state and write it in another thread",
        has_effect=True,
    ),
    Kind(
        "collecting garbage",
        ("gc:collect", COLLECTING),
        "no gc.collect() in the loop; gc.freeze() after loading, a larger gc.set_threshold, fewer small objects",
        has_effect=True,
    ),
    Kind("copying objects", ("copy:",), "copy only what changed, into memory that is kept"),
    Kind(
        "copying an array to add to it",
        tuple(f"{module}:{name}" for module in NUMPY_FUNCTIONS for name in ("append", "insert", "delete")),
        "collect the parts in a list and join them once, or write into an array of the full size",
    ),
    Kind(
        "collecting stack traces",
        ("torch.fx.traceback:", "traceback:", "inspect:stack", "inspect:getouterframes"),
        "look at the stack only if there is an error; sys._getframe(1) has the caller's name without the whole stack; "
        "turn off torch.autograd.set_detect_anomaly",
        has_effect=True,
    ),
    STARTING,
    Kind(
        "compiling functions of numba",
        ("numba.core.", "numba.np.", "numba.cpython.", "llvmlite."),
        "compile each function once: decorate it at the top of a module and hand over what changes as arguments, of "
        "the same types each time; cache=True keeps what was compiled between runs",
    ),
    Kind(
        "sending objects to other processes",
        ("multiprocessing.connection:send", "multiprocessing.reduction:dumps", "multiprocessing.queues:_feed"),
        "send names or places instead of arrays, in larger pieces, or share the memory",
        has_effect=True,
    ),
    Kind(
        "rows of a table, one by one",
        ("pandas.core.apply:", "pandas.core.frame:iterrows", "pandas.core.frame:itertuples"),
        "compute whole columns instead of a Python function per row",
    ),
    Kind(
        "parsing text",
        (
            *("json:", "json.", "csv:", "yaml.", "xml.", "html.", "ast:", "_strptime:", "tokenizers."),
            *("transformers.tokenization", "tomllib.", "configparser:", "email."),
        ),
        "parse once and keep the result in a binary form; parse ahead in worker processes",
    ),
    MATCHING,
    Kind(
        "queries of a database, one by one",
        ("sqlite3:", "sqlite3.", "psycopg", "sqlalchemy.", "pymysql", "MySQLdb", "duckdb"),
        "an index on the columns that are asked for, one query for many rows (JOIN, IN), many changes per transaction",
    ),
    Kind(
        "long statements of a database",
        tuple(f"{ONE_CALL}{name}" for name in DATABASES),
        "look at its plan (EXPLAIN QUERY PLAN): a scan inside of a scan asks for an index on the columns that are "
        "compared, also on those of other tables that point to deleted rows; one join or GROUP BY in place of a query "
        "inside of a query",
        has_effect=True,
        may_be_due=True,
    ),
    Kind(
        "gradients by finite differences",
        ("scipy.optimize._numdiff:", "scipy.optimize._differentiable_functions:update_grad"),
        "hand over the gradient (jac=...), by hand or from torch.autograd: differences call the function once for each "
        "variable",
    ),
    Kind(
        "setting up connections",
        (
            *(
                f"ssl:{name}"
                for name in ("create_default_context", "load_default_certs", "do_handshake", "wrap_socket")
            ),
            *("socket:create_connection", "socket:getaddrinfo", "httpx._config:", "urllib3.util.ssl_:"),
            *("urllib3.util.connection:create_connection", "requests.adapters:init_poolmanager"),
        ),
        "one client for all requests (httpx.Client, requests.Session, aiohttp.ClientSession): it keeps connections and "
        "reads certificates once",
        has_effect=True,
    ),
    Kind(
        "reading whole arrays of an archive",
        tuple(f"numpy.lib.{module}:__getitem__" for module in ("_npyio_impl", "npyio")),
        "archive[name] of an .npz file reads and unpacks the whole array each time: take it out once before the loop, "
        "or keep it as .npy that is mapped (mmap_mode)",
    ),
    Kind(
        "going to places in a compressed file",
        ("gzip:seek", "_compression:seek", "compression._common._streams:seek", "bz2:seek", "lzma:seek"),
        "a compressed file is unpacked from its beginning for every place before the last one: unpack it once into "
        "memory or a plain file, sort the places, or use a format with blocks and an index (bgzip, zstd, HDF5)",
    ),
    Kind(
        "reading and writing files",
        (
            *("numpy.lib._npyio", "numpy.lib.npyio", "numpy.lib._format", "numpy.lib.format", "PIL.", "h5py."),
            *("torch.serialization:load", "torch.serialization:_load", "zipfile:", "gzip:", "bz2:", "lzma:"),
        ),
        "read ahead in worker processes, keep many samples in one file that is mapped, and pack files less",
    ),
)


@lru_cache(maxsize=10_000)  # a program has few frames, and thousands of samples of each
def kind_of(frame: str) -> Kind | None:
    return next((kind for kind in KINDS if frame.startswith(kind.begins)), None)
