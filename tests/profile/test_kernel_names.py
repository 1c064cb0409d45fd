"""A kernel's identity is its name; templates and arguments are noise that is kept apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.kernel_names import KernelName, demangled, split_name


@pytest.mark.parametrize(
    ("name", "plain", "template"),
    [
        ("void at::native::vec_kernel<4, float>(int, float*)", "at::native::vec_kernel", "<4, float>"),
        ("void outer<int>::inner<(Tile)2, A<B<1>>>(P)", "outer::inner", "<int><(Tile)2, A<B<1>>>"),
        ("void (anonymous namespace)::softmax<float>(float*)", "softmax", "<float>"),
        ("void at::native::<unnamed>::softmax<(int)8, float>(T2 *)", "at::native::softmax", "<(int)8, float>"),
        ("sm90_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64", "sm90_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64", ""),
        ("aten::mm", "aten::mm", ""),
        ("rmsnorm_row", "rmsnorm_row", ""),
    ],
)
def test_what_a_kernel_is_called(name, plain, template):
    assert split_name(name) == KernelName(plain, template)


def test_two_builds_of_a_kernel_have_one_name():
    first, second = split_name("void gemm<float, 128>(float*)"), split_name("void gemm<float, 256>(float*)")
    assert first.plain == second.plain and first.template != second.template


def test_a_mangled_name_is_undone():
    assert demangled("_Z3addPfS_i") == "add(float*, float*, int)"
    assert split_name("_Z3addIfEvPT_") == KernelName("add", "<float>")


@pytest.mark.parametrize("name", ["_Znot_one", "_Z", "_Z3a\0b", "plain"])
def test_a_name_that_cannot_be_undone_stays(name):
    assert demangled(name) == name


@given(st.text(max_size=60))
def test_no_name_breaks_it_and_none_becomes_empty(name):
    assert split_name(name).plain or not name.strip()


@given(st.text(alphabet="ab<>(),: ", max_size=30))
def test_an_unbalanced_name_is_kept_whole(name):
    found = split_name(name)
    assert found.template.count("<") == found.template.count(">")
