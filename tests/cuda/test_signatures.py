"""Names as the compiler writes them into a binary, and what they say of a kernel's parameters."""

import pytest

from perfproof.cuda.signatures import read_signature


@pytest.mark.parametrize(
    ("mangled", "name", "types"),
    [
        ("_Z5scalePKfPffi", "scale", ("float const*", "float*", "float", "int")),
        ("_Z5emptyv", "empty", ()),
        ("_Z5tcopyIfLi4EEvPKT_PS0_lS0_", "tcopy<float, 4>", ("float const*", "float*", "long", "float")),
        ("_Z3tma14CUtensorMap_stPf", "tma", ("CUtensorMap_st", "float*")),
        ("_ZN3foo5innerEPK6__halfP13__nv_bfloat16d", "foo::inner", ("__half const*", "__nv_bfloat16*", "double")),
        ("_Z4bothPFvifEPf", "both", ("void (*)(int, float)", "float*")),
    ],
)
def test_a_mangled_name_says_the_types(mangled, name, types):
    signature = read_signature(mangled)
    assert (signature.name, signature.types) == (name, types)


def test_extern_c_says_nothing():
    assert read_signature("scale").types is None
    assert str(read_signature("scale")) == "scale"


def test_a_name_that_cannot_be_read_is_left_as_it_is():
    assert read_signature("_Zthis is none").name == "_Zthis is none"


def test_a_kernel_is_called_with_or_without_its_namespace():
    signature = read_signature("_ZN3foo5innerEPf")
    assert signature.is_called("inner") and signature.is_called("foo::inner")
    assert not signature.is_called("ner")
