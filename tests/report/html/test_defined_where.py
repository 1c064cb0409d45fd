"""A side that the pair's file only imports is found in the project's module; what is no function is not."""

import pytest

from perfproof.pairs.source import read_source
from perfproof.report.html.defined_where import defined_where
from perfproof.report.html.source import side_lines

FILES = {
    "src/kit/__init__.py": "from .sort import merge\nfrom . import sort\n",
    "src/kit/sort.py": "LIMIT = 3\n\n\ndef merge(x):\n    return sorted(x)[:LIMIT]\n\n\ndef fast(x):\n    return x\n",
    "helper.py": "def own(x):\n    return x\n\n\nclass Sorter:\n    def run(self, x):\n        return x\n",
    "pyproject.toml": "",
}


@pytest.fixture
def side(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    def call(text):
        (tmp_path / "pair.py").write_text(text)
        return defined_where(read_source(tmp_path / "pair.py"), "optimized")

    return call


@pytest.mark.parametrize(
    ("text", "file", "name"),
    [
        ("def optimized(x): return x", "pair.py", "optimized"),
        ("def other(x): return x\noptimized = other", "pair.py", "other"),
        ("from helper import own as optimized", "helper.py", "own"),
        ("import helper\noptimized = helper.own", "helper.py", "own"),
        ("from kit.sort import fast\noptimized = fast", "sort.py", "fast"),
        ("from kit import merge as optimized", "sort.py", "merge"),
        ("from kit import sort\noptimized = sort.fast", "sort.py", "fast"),
        ("import kit.sort as s\noptimized = s.fast", "sort.py", "fast"),
        ("import kit.sort\noptimized = kit.sort.fast", "sort.py", "fast"),
    ],
)
def test_a_side_is_found_where_it_is_defined(side, text, file, name):
    source, found = side(text)
    assert (source.path.name, found) == (file, name)
    assert side_lines(source, found)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\noptimized = torch.sum",
        "from helper import Sorter\noptimized = Sorter().run",
        "from helper import missing as optimized",
        "optimized = lambda x: x",
        "from helper import own as other",
        "optimized = optimized",
    ],
)
def test_what_is_no_function_of_the_project_is_not(side, text):
    assert side(text) is None
