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
    uses_device: bool = False  # it keeps a GPU busy itself: that the GPU works says nothing
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
    Kind(
        "copying objects",
        ("copy:", *(f"dataclasses:{name}" for name in ("asdict", "_asdict_inner", "astuple", "_astuple_inner"))),
        "copy only what changed, into memory that is kept; the few fields that are used, by their names",
    ),
    Kind(
        "packing objects (pickle)",
        ("pickle:", "_pickle:", "cloudpickle.", "dill.", "shelve:", "marshal:"),
        "pack once and keep that, or only what changed; hand over arrays in shared memory or in files that are mapped",
        has_effect=True,
    ),
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
        "compiling and tuning kernels of Triton",
        (
            *("triton.compiler.", "triton.backends.", "triton.runtime.jit:_do_compile", "triton.testing:do_bench"),
            *("triton.runtime.autotuner:_bench", "triton.runtime.autotuner:benchmark"),
        ),
        "hand over what changes from call to call as a plain argument, not as tl.constexpr; tune by keys of few values "
        "(sizes rounded up), and before the loop",
        uses_device=True,
    ),
    Kind(
        "sending objects to other processes",
        ("multiprocessing.connection:send", "multiprocessing.reduction:dumps", "multiprocessing.queues:_feed"),
        "send names or places instead of arrays, in larger pieces, or share the memory",
        has_effect=True,
    ),
    Kind(
        "rows of a table, one by one",
        (
            *("pandas.core.apply:", "pandas.core.frame:iterrows", "pandas.core.frame:itertuples"),
            *("pandas.core.window.rolling:apply", "pandas.core.window.rolling:_generate_cython_apply_func"),
        ),
        "compute whole columns instead of a Python function per row",
    ),
    Kind(
        "single rows and values of a table, one by one",
        (
            *(f"pandas.core.frame:{name}" for name in ("_ixs", "_get_value", "_set_value", "_append", "append")),
            *("pandas.core.generic:xs", "pandas.core.series:_get_value", "pandas.core.series:_set_value"),
            *(f"pandas.core.indexing:{name}" for name in ("_getitem_lowerdim", "_get_label", "_setitem_with_indexer")),
        ),
        "compute whole columns; where a loop is needed, take arrays or lists out of the table once before it "
        "(to_numpy, to_dict), collect the results in a list and make one table of them",
    ),
    Kind(
        "a Python function per group of a table",
        (
            *(f"pandas.core.groupby.groupby:{name}" for name in ("_python_apply_general", "_python_agg_general")),
            *(f"pandas.core.groupby.generic:{name}" for name in ("_aggregate_named", "_transform_general", "filter")),
            *(f"pandas.core.groupby.ops:{name}" for name in ("_aggregate_series_pure_python", "agg_series", "apply")),
        ),
        "columns before the groups are made, then the group's own functions by name (agg('sum'), transform('mean'), "
        "cumsum, shift, rank), which go through all groups at once; many small groups make a function of Python dear",
    ),
    Kind(
        "tables joined piece by piece",
        ("pandas.core.reshape.concat:",),
        "collect the pieces in a list and join them once after the loop",
        may_be_due=True,
    ),
    Kind(
        "taking rows or columns of a sparse matrix against its order",
        (
            *(f"scipy.sparse._compressed:{name}" for name in ("_minor_slice", "_minor_index_fancy")),
            *(f"scipy.sparse.compressed:{name}" for name in ("_minor_slice", "_minor_index_fancy")),
            *(f"scipy.sparse._csr:{name}" for name in ("_getcol", "getcol", "_get_sliceXint", "_get_sliceXarray")),
            *(f"scipy.sparse.csr:{name}" for name in ("getcol", "_get_sliceXint", "_get_sliceXarray")),
            *(f"scipy.sparse._csc:{name}" for name in ("_get_intXslice", "_get_arrayXslice")),
            *(f"scipy.sparse.csc:{name}" for name in ("_get_intXslice", "_get_arrayXslice")),
            *("scipy.sparse._csc:_getrow", "scipy.sparse._csc:getrow", "scipy.sparse.csc:getrow"),
        ),
        "CSR has its rows together, CSC its columns: convert the matrix once before the loop (tocsr, tocsc) and slice "
        "along that; or one product with all of them",
    ),
    Kind(
        "setting elements of a sparse matrix",
        tuple(
            f"scipy.sparse.{module}:{name}"
            for module in ("_compressed", "compressed", "_index", "_lil", "_dok")
            for name in ("__setitem__", "_set_many", "_insert_many", "_set_intXint", "_set_arrayXarray", "_setdiag")
        ),
        "collect rows, columns and values and make the matrix once (scipy.sparse.coo_array); values that change in "
        "place of a fixed pattern go into .data",
    ),
    Kind(
        "converting sparse matrices",
        tuple(
            f"scipy.sparse.{module}:{name}"
            for module in ("_base", "_coo", "_csr", "_csc", "_compressed", "_lil", "_dok", "_dia", "_bsr")
            for name in ("tocsr", "tocsc", "tocoo", "todense", "toarray", "tolil", "asformat", "sort_indices")
        ),
        "convert once before the loop, and make the matrix in the format that is used",
    ),
    Kind(
        "starting threads",
        ("threading:start",),
        "keep the threads: one pool for all of the work (ThreadPoolExecutor), fed with larger pieces",
        has_effect=True,
    ),
    Kind(
        "asking a manager process",
        ("multiprocessing.managers:",),
        "each access of a manager's list or dict is a message to another process and back: collect locally and hand "
        "over once, or share the memory (shared_memory, Array)",
        has_effect=True,
    ),
    Kind(
        "fractions and symbols",
        ("fractions:", "sympy.", "mpmath.", "_pydecimal:"),
        "floats if their precision is enough; make one function of arrays from an expression (sympy.lambdify) before "
        "the loop",
    ),
    Kind(
        "exact statistics",
        ("statistics:",),
        "statistics adds fractions exactly: fmean, or NumPy's functions, are enough for most numbers",
    ),
    Kind(
        "comparing texts letter by letter",
        ("difflib:",),
        "look for equal texts by a dictionary first; compare only texts that share words or length; quick_ratio before "
        "ratio",
    ),
    Kind(
        "compiling templates",
        (
            *(f"jinja2.environment:{name}" for name in ("from_string", "_parse", "_generate", "compile", "_compile")),
            *("jinja2.lexer:", "jinja2.parser:", "jinja2.compiler:"),
        ),
        "make each template once and render it with other values",
    ),
    Kind(
        "looking through folders",
        ("glob:", "os:walk", "fnmatch:", "pathlib:glob", "pathlib:rglob", "pathlib:iterdir", "pathlib._abc:"),
        "list a folder once and keep the names; os.scandir gives kinds and sizes with the names",
        has_effect=True,
    ),
    Kind(
        "building interpolators and trees",
        (
            *(f"scipy.interpolate.{name}" for name in ("_interpolate:__init__", "_bsplines:make_interp_spline")),
            *("scipy.interpolate._cubic:__init__", "scipy.interpolate._rbfinterp:__init__"),
            *("scipy.spatial._kdtree:__init__", "sklearn.neighbors._base:_fit"),
        ),
        "build it once and ask it for all points at once",
        may_be_due=True,
    ),
    Kind(
        "distributions of SciPy, value by value",
        ("scipy.stats._distn_infrastructure:", "scipy.stats._distribution_infrastructure:"),
        "hand over arrays, as each call has about 0.1 ms of checks; or write the formula with NumPy or math",
        may_be_due=True,
    ),
    Kind(
        "drawing random numbers one by one",
        ("random:",),
        "draw whole arrays (numpy.random.Generator)",
        may_be_due=True,
    ),
    Kind(
        "members of an Enum",
        ("enum:",),
        "plain integers in inner loops; Flags are combined by code of Python",
    ),
    Kind(
        "parsing text",
        (
            *("json:", "json.", "csv:", "yaml.", "xml.", "html.", "ast:", "_strptime:", "dateutil.", "tokenizers."),
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
