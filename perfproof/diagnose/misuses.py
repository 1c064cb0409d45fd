"""Calls of libraries that do more than is needed, told by what they call or by marks that sampling puts on them.

In each row the time itself proves the fault: functions that only the slow way runs, or a mark for which the values of
the arguments were looked at. What may be just what the program is for is in kinds_of_work.py, as a hint.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.sampled import Lines, Sample
from perfproof.profile.children.misused import (
    ALL_INDICES,
    FEW_VALUES,
    FROM_ARRAYS,
    LASTS,
    MORE_HANDLERS,
    NO_INDEX,
    PERMUTES,
)

LASTING = 0.5  # of a statement's samples, in which it goes on for 0.3 ms or more: with an index it takes microseconds
NUMPY_BASE, NUMPY_SHAPES, NUMPY_FILES = (
    tuple(f"numpy.lib.{module}:" for module in modules)
    for modules in (
        ("_function_base_impl", "function_base"),
        ("_shape_base_impl", "shape_base"),
        ("_npyio_impl", "npyio"),
    )
)


@dataclass(frozen=True)
class Misuse:
    """A call, and what is cheaper."""

    what: str
    begins: tuple[str, ...]  # of frames, or of marks
    advice: str
    refuted_by: str = "without it the program takes as long"
    beneath: tuple[str, ...] = ()  # what else a stack must have, each in the row
    is_long: bool = False  # single calls must have been seen to last


def _each(modules: Sequence[str], *names: str) -> tuple[str, ...]:
    return tuple(f"{module}{name}" for module in modules for name in names)


MISUSES = (
    Misuse(
        "YAML read by the loader that is written in Python",
        ("yaml.scanner:", "yaml.parser:", "yaml.reader:", "yaml.composer:"),
        "yaml.load(text, Loader=yaml.CSafeLoader), which gives the same and is several times as fast; JSON or a "
        "binary form for what the program writes itself",
        "yaml.__with_libyaml__ is False: then PyYAML was installed without its library in C",
    ),
    Misuse(
        "YAML written by the dumper that is written in Python",
        ("yaml.emitter:", "yaml.serializer:"),
        "yaml.dump(value, Dumper=yaml.CSafeDumper); JSON if people need not read it",
        "yaml.__with_libyaml__ is False: then PyYAML was installed without its library in C",
    ),
    Misuse(
        "few elements are drawn by a permutation of the whole population",
        (PERMUTES,),
        "numpy.random.default_rng().choice(population, few, replace=False), which does not permute all of it; or "
        "integers (randint), if it does not matter that one is drawn twice",
        "with numpy.random.Generator the line takes as long",
    ),
    Misuse(
        "einsum of three arrays or more loops over all indices at once",
        (ALL_INDICES,),
        "numpy.einsum(..., optimize=True), or two products one after the other (@, tensordot): a loop over all indices "
        "takes the product of all their lengths",
        "with optimize=True the line takes as long",
    ),
    Misuse(
        "a logger with more and more handlers",
        (MORE_HANDLERS,),
        "each record goes to every handler, and handlers are added while the program runs: set the logger up once "
        "(logging.config, or `if not logger.handlers`)",
        "`len(logger.handlers)` stays the same",
    ),
    Misuse(
        "a condition that no index can serve, so that each query reads the whole table",
        (NO_INDEX,),
        "compare the plain column: a range in place of date(column) = ?, values stored in one case or COLLATE NOCASE "
        "in place of lower(column) = ?; or an index on that expression (CREATE INDEX ... ON table(lower(column))); "
        "full-text search in place of LIKE '%...'",
        "EXPLAIN QUERY PLAN shows SEARCH ... USING INDEX for the statement",
        is_long=True,
    ),
    Misuse(
        "distributions of SciPy are asked about a few values at a time",
        (FEW_VALUES,),
        "each such call mostly checks its arguments, and stats.norm(...) makes an object with its documentation each "
        "time: write the formula with NumPy or math, or hand over all values at once",
        "with the formula written out the program takes as long",
    ),
    Misuse(
        "a tensor is made from a list of arrays, number by number",
        (FROM_ARRAYS,),
        "torch.from_numpy(numpy.stack(arrays)), or torch.tensor(numpy.array(arrays))",
    ),
    Misuse(
        "JSON written by the encoder that is written in Python",
        _each(("json.encoder:",), "_iterencode", "_iterencode_dict", "_iterencode_list"),
        "file.write(json.dumps(value)) in place of json.dump(value, file), and no indent: then the encoder in C does "
        "it; orjson if that is not enough",
    ),
    Misuse(
        "dates parsed by strptime, one by one",
        ("_strptime:",),
        "datetime.fromisoformat for ISO dates, whole columns at once (pandas.to_datetime with format=), or keep the "
        "answers per text (functools.cache) if they repeat",
    ),
    Misuse(
        "dates parsed by guessing their form",
        ("dateutil.parser",),
        "name the form: pandas.to_datetime(column, format=...), or datetime.fromisoformat, which is many times as fast",
    ),
    Misuse(
        "a table read by the parser that is written in Python",
        ("pandas.io.parsers.python_parser:",),
        "engine='c': a separator of one letter (sep=',' or r'\\s+'), and no skipfooter",
    ),
    Misuse(
        "expressions of a table parsed from text again and again",
        ("pandas.core.computation.",),
        "masks in place of query and eval for small tables: table[table.price > limit]",
    ),
    Misuse(
        "a Python function per element of an array",
        (*_each(NUMPY_BASE, "_vectorize_call", "_call_as_normal"), *_each(NUMPY_SHAPES, "apply_along_axis")),
        "functions of whole arrays: numpy.vectorize and apply_along_axis are loops of Python; numba.vectorize if there "
        "is no such function",
    ),
    Misuse(
        "tables of numbers read as text by NumPy",
        _each(NUMPY_FILES, "genfromtxt", "loadtxt", "_read"),
        "pandas.read_csv is many times as fast; numpy.save and load for what is read again",
    ),
    Misuse(
        "rows as dictionaries (csv.DictReader)",
        ("csv:__next__",),
        "csv.reader and places of columns, or pandas.read_csv for whole columns",
    ),
    Misuse(
        "literals of Python parsed",
        ("ast:literal_eval",),
        "json.loads for what can be JSON; parse once and keep the result in a binary form",
    ),
    Misuse(
        "programs started one by one",
        ("subprocess:_execute_child",),
        "do it in this process (shutil, os, a library), or start one program for many pieces of work",
    ),
    Misuse(
        "rows that are loaded one by one when they are first used (lazy loading)",
        ("sqlalchemy.orm.strategies:_emit_lazyload",),
        "load them with the query: options(selectinload(...)) or joinedload(...)",
    ),
    Misuse(
        "statements compiled anew",
        ("sqlalchemy.sql.compiler:",),
        "build each statement once, or with bound parameters in place of values, so that SQLAlchemy's cache has it",
    ),
    Misuse(
        "an engine of SQLAlchemy per call",
        ("sqlalchemy.engine.create:",),
        "create_engine once per process: it keeps the connections",
    ),
    Misuse(
        "clients of AWS made again and again",
        ("botocore.session:create_client", "botocore.loaders:", "boto3.session:client", "boto3.session:resource"),
        "make each client once and keep it: it reads the service's description and sets up connections",
    ),
    Misuse(
        "signatures and type hints looked up at each call",
        ("inspect:signature", "inspect:_signature_from_callable", "typing:get_type_hints"),
        "look them up once, when the function is decorated, or keep them (functools.cache)",
    ),
    Misuse(
        "classes made again and again",
        ("collections:namedtuple", "dataclasses:_process_class", "dataclasses:make_dataclass"),
        "make the class once at the top of the module",
    ),
    Misuse(
        "classes checked by their methods (isinstance with a Protocol)",
        ("typing:__instancecheck__",),
        "check a plain class or an attribute; a runtime_checkable Protocol looks for each of its methods",
    ),
    Misuse(
        "pictures read or written pixel by pixel",
        _each(("PIL.Image:",), "getpixel", "putpixel"),
        "numpy.asarray(image) and whole arrays",
    ),
    Misuse(
        "HTML parsed in Python",
        ("html.parser:", "bs4.builder._htmlparser:"),
        "BeautifulSoup(text, 'lxml'), or lxml itself (selectolax); read only the part that is needed",
        beneath=("bs4",),
    ),
    Misuse(
        "XML held as a tree of Python objects",
        ("xml.dom.",),
        "xml.etree.ElementTree (iterparse for large files), or lxml",
    ),
    Misuse(
        "time zones computed in Python",
        ("dateutil.tz", "pytz"),
        "zoneinfo, which is written in C; compute in UTC and convert for what people read",
    ),
    Misuse(
        "arguments checked by scikit-learn for each call",
        ("sklearn.utils.validation:", "sklearn.utils._param_validation:"),
        "hand over many rows at once: a call for one row is mostly checks; sklearn.config_context(assume_finite=True)",
    ),
    Misuse(
        "a covariance that is decomposed for each call",
        (
            "scipy.stats._multivariate:_process_parameters",
            "scipy.stats._multivariate:_eigvalsh",
            *_each(("scipy.stats._multivariate:", "scipy.stats._covariance:"), "__init__", "from_eigendecomposition"),
        ),
        "freeze the distribution once (multivariate_normal(mean, cov)), or keep the Cholesky factor and multiply",
    ),
    Misuse(
        "paths taken apart and put together as objects",
        tuple(
            f"{module}:{name}"
            for module in ("pathlib", "pathlib._local", "pathlib._abc")
            for name in (
                *("__new__", "__init__", "_from_parts", "_from_parsed_parts", "_parse_args", "_parse_path"),
                *("__truediv__", "_make_child", "joinpath", "with_suffix", "with_name", "relative_to"),
                *("_load_parts", "parent", "__str__"),
            )
        ),
        "os.path.join and plain texts in inner loops; os.scandir gives names and kinds together",
    ),
)


def worst(evidence: Evidence) -> tuple[Misuse, Lines] | None:
    """The misuse with most of the time, and the lines that call it."""
    samples = sampled.working_samples(evidence)
    found = [(misuse, lines) for misuse in MISUSES if (lines := _lines_of(misuse, samples)) is not None]
    return max(found, key=lambda one: one[1].share, default=None)


def _lines_of(misuse: Misuse, samples: Sequence[Sample]) -> Lines | None:
    own = [one for one in samples if _has(one, misuse.begins) and (not misuse.beneath or _has(one, misuse.beneath))]
    if misuse.is_long:
        lasting = sum(one.milliseconds for one in own if LASTS in one.frames)
        own = own if lasting > LASTING * sum(one.milliseconds for one in own) else []
    return sampled.lines_of(own, samples)


def _has(sample: Sample, begins: tuple[str, ...]) -> bool:
    return any(frame.startswith(begins) for frame in sample.frames)
