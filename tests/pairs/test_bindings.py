import ast

from perfproof.pairs.bindings import read_bindings


def bound(text):
    return {name: [binding.how for binding in found] for name, found in read_bindings(ast.parse(text)).items()}


def test_functions_and_values_are_told_apart_from_the_rest():
    assert bound("def f(): pass\nx = 1\nclass C: pass\nimport a.b, c as d\nfrom e import g as h") == {
        "f": ["a function"],
        "x": ["a value"],
        "C": ["a class"],
        "a": ["an import"],
        "d": ["an import"],
        "h": ["an import"],
    }


def test_names_inside_compound_statements_say_so():
    text = "if 1:\n    x = 1\n    def f(): pass\nfor i in y: pass\nwith a as b: pass\n"
    assert bound(text + "try:\n    import m\nexcept E as e: pass") == {
        "x": ["inside an `if`"],
        "f": ["inside an `if`"],
        "i": ["inside a `for`"],
        "b": ["inside a `with`"],
        "e": ["inside a `try`"],
        "m": ["an import"],
    }


def test_a_second_binding_is_kept():
    assert bound("x = 1\nx += 1\nx[0] = 2\nx.y = 3\ndel x") == {"x": ["a value", *["changed in place"] * 4]}


def test_names_inside_functions_classes_and_comprehensions_are_not_the_modules():
    assert set(bound("def f():\n    x = 1\nclass C:\n    y = 2\nz = [i for i in range(3)]")) == {"f", "C", "z"}


def test_an_unpacking_is_read_where_both_sides_have_the_same_parts():
    assert bound("a, b = 1, 2\nc, *d = 1, 2\ne, f = g()") == {
        "a": ["a value"],
        "b": ["a value"],
        "c": ["part of an unpacking"],
        "d": ["part of an unpacking"],
        "e": ["part of an unpacking"],
        "f": ["part of an unpacking"],
    }


def test_an_annotation_alone_binds_nothing():
    assert bound("x: int\ny: int = 3") == {"y": ["a value"]}
