"""Each misuse of a library is named by what it calls, and the cheaper way beside it is not."""

import pytest

from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.misuses import MISUSES, worst
from perfproof.diagnose.rules import python_code
from perfproof.profile.children.misused import (
    ALL_INDICES,
    FEW_VALUES,
    FROM_ARRAYS,
    LASTS,
    MORE_HANDLERS,
    NO_INDEX,
    PERMUTES,
)
from tests.diagnose.test_sampled import stacks

ROWS = [  # a word of the advice, what the slow way has in its stack, what the honest one has
    (
        "CSafeLoader",
        "yaml:safe_load;yaml.constructor:get_single_data;yaml.composer:compose_node",
        "yaml:load;yaml.constructor:construct_mapping",
    ),
    ("CSafeDumper", "yaml:dump;yaml.serializer:serialize;yaml.emitter:emit", "yaml:dump;yaml.representer:represent"),
    ("default_rng", f"{PERMUTES};[runs] rng.choice(n, 8, replace=False)", "[runs] rng.choice(n, 8, replace=False)"),
    ("optimize=True", f"{ALL_INDICES};[runs] np.einsum(path, a, b, c)", "[runs] np.einsum(path, a, b)"),
    ("once", f"{MORE_HANDLERS};logging:info;logging:callHandlers", "logging:info;logging:callHandlers"),
    ("COLLATE", f"{LASTS};{NO_INDEX};[runs] db.execute('…')", f"{NO_INDEX};[runs] db.execute('…')"),
    ("formula", f"{FEW_VALUES};scipy.stats._distn_infrastructure:logpdf", "scipy.stats._distn_infrastructure:logpdf"),
    ("numpy.stack", f"{FROM_ARRAYS};[runs] torch.tensor(rows)", "[runs] torch.tensor(rows)"),
    (
        "json.dumps",
        "json:dump;json.encoder:_iterencode;json.encoder:_iterencode_dict",
        "json:dumps;json.encoder:iterencode",
    ),
    ("fromisoformat", "_strptime:_strptime_datetime;_strptime:_strptime", "[runs] datetime.fromisoformat(text)"),
    (
        "name the form",
        "pandas.core.tools.datetimes:to_datetime;dateutil.parser._parser:parse",
        "pandas.core.tools.datetimes:to_datetime",
    ),
    (
        "engine='c'",
        "pandas.io.parsers.readers:read_csv;pandas.io.parsers.python_parser:read",
        "pandas.io.parsers.c_parser_wrapper:read",
    ),
    ("masks", "pandas.core.frame:query;pandas.core.computation.eval:eval", "pandas.core.frame:__getitem__"),
    ("numba.vectorize", "numpy.lib._function_base_impl:_vectorize_call", "numpy.lib._function_base_impl:interp"),
    ("numba.vectorize", "numpy.lib._shape_base_impl:apply_along_axis", "numpy.lib._shape_base_impl:tile"),
    ("read_csv", "numpy.lib._npyio_impl:loadtxt;numpy.lib._npyio_impl:_read", "numpy.lib._npyio_impl:load"),
    ("csv.reader", "csv:__next__", "[runs] next(reader)"),
    ("json.loads", "ast:literal_eval;ast:parse", "ast:parse"),
    ("shutil", "subprocess:run;subprocess:__init__;subprocess:_execute_child", "subprocess:communicate;[waits]"),
    ("selectinload", "sqlalchemy.orm.strategies:_emit_lazyload", "sqlalchemy.orm.loading:load_on_pk_identity"),
    (
        "bound parameters",
        "sqlalchemy.sql.elements:_compile_w_cache;sqlalchemy.sql.compiler:process",
        "sqlalchemy.engine.base:execute",
    ),
    ("create_engine once", "sqlalchemy.engine.create:create_engine", "sqlalchemy.engine.base:connect"),
    ("each client once", "boto3:client;boto3.session:client;botocore.loaders:load_file", "botocore.client:_api_call"),
    ("decorated", "inspect:signature;inspect:_signature_from_callable", "inspect:isfunction"),
    ("top of the module", "collections:namedtuple", "collections:_make"),
    ("plain class", "typing:__instancecheck__", "typing:cast"),
    ("numpy.asarray", "PIL.Image:getpixel", "PIL.Image:open"),
    ("lxml", "bs4:__init__;bs4.builder._htmlparser:feed;html.parser:goahead", "bs4:__init__;bs4.builder._lxml:feed"),
    ("iterparse", "xml.dom.minidom:parseString;xml.dom.expatbuilder:parseString", "xml.etree.ElementTree:parse"),
    ("zoneinfo", "dateutil.tz.tz:utcoffset", "zoneinfo:__init__"),
    (
        "many rows",
        "sklearn.linear_model._base:predict;sklearn.utils.validation:check_array",
        "sklearn.linear_model._base:predict",
    ),
    (
        "Cholesky",
        "scipy.stats._multivariate:logpdf;scipy.stats._multivariate:_process_parameters",
        "scipy.stats._multivariate:_logpdf",
    ),
    ("os.path.join", "pathlib:__truediv__;pathlib:_from_parsed_parts", "pathlib:read_text"),
]


def find(frames):
    return python_code.find(Evidence(stacks=stacks(f"read (a.py:3);{frames} 500", "read (a.py:9) 500")))


@pytest.mark.parametrize(("word", "slow", "honest"), ROWS)
def test_the_slow_way_is_named_with_its_line_and_the_honest_one_is_not(word, slow, honest):
    found = find(slow)
    assert word in found.advice and found.confidence == "high" and found.evidence[0].place == "read (a.py:3)"
    assert worst(Evidence(stacks=stacks(f"read (a.py:3);{honest} 500", "read (a.py:9) 500"))) is None


def test_each_row_of_the_table_is_tried():
    tried = {worst(Evidence(stacks=stacks(f"read (a.py:3);{slow} 500")))[0].what for _, slow, _ in ROWS}
    assert tried == {one.what for one in MISUSES}


def test_what_takes_little_is_not_told():
    lines = stacks("read (a.py:3);json:dump;json.encoder:_iterencode 100", "read (a.py:9) 900")
    assert python_code.find(Evidence(stacks=lines)) is None


def test_a_small_part_of_other_work_that_has_a_name_does_not_stand_for_it():
    lines = stacks("read (a.py:3);csv:__next__ 200", "read (a.py:9);logging:info 800")
    assert "logging" in python_code.find(Evidence(stacks=lines)).title


def test_statements_that_end_at_once_have_an_index_that_serves_them():
    slow, fast = f"read (a.py:3);{LASTS};{NO_INDEX};sqlite3:Cursor", f"read (a.py:3);{NO_INDEX};sqlite3:Cursor"
    assert worst(Evidence(stacks=stacks(f"{slow} 600", f"{fast} 400")))[1].share == pytest.approx(1.0)
    assert worst(Evidence(stacks=stacks(f"{slow} 30", f"{fast} 970"))) is None
