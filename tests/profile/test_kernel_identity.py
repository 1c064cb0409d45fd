"""One kernel however two profilers spell it, and two kernels never one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.kernel_identity import counterpart, identity, shortened

# As torch wrote them on an H200, and as ncu 2025.3.1 shortened them there.
TORCH = [
    "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::pow_tensor_scalar_kernel_impl"
    "<float, float>(at::TensorIteratorBase&, float)::{lambda(float)#1}, std::array<char*, 2ul> >(int, float, char*)",
    "void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"
    "::{lambda(float)#1}, std::array<char*, 2ul> >(int, float, char*)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, "
    "float, float>,"
    " unsigned int, float, 4, 4> >(float)",
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, "
    "float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
    "at::native::BinaryFunctor"
    "<float, float, float, at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1}>(int, x)",
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<c10::"
    "BFloat16, c10::BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<float> > "
    ">(at::TensorIteratorBase&,"
    " x const&)::{lambda(int)#1}>(int, x)",
    "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::"
    "{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul>, 4, "
    "TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, at::native::memory::"
    "LoadWithCast<1>, at::native::memory::StoreWithCast<1> >(int, x)",
]
SHORT = [
    "void vectorized_elementwise_kernel<4, void unnamed>::pow_tensor_scalar_kernel_impl<float, "
    "float>(TensorIteratorBase"
    " &, T2)::[lambda(float) (instance 1)], std::array<char *, 2>>(int, T2, T3)",
    "void vectorized_elementwise_kernel<8, bfloat16_copy_kernel_cuda(TensorIteratorBase &)::[lambda(float) "
    "(instance 1)]"
    ", std::array<char *, 2>>(int, T2, T3)",
    "void reduce_kernel<512, 1, ReduceOp<float, MeanOps<float, float, float, float>, unsigned int, float, 4, 4>>(T3)",
    "void elementwise_kernel<128, 2, void gpu_kernel_impl_nocast<BinaryFunctor<float, float, float, binary_internal::"
    "MulFunctor<float>>>(TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
    "void elementwise_kernel<128, 4, void gpu_kernel_impl_nocast<BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::"
    "BFloat16, binary_internal::MulFunctor<float>>>(TensorIteratorBase &, const T1 &)::[lambda(int) (instance "
    "1)]>(int)",
    "void unrolled_elementwise_kernel<direct_copy_kernel_cuda(TensorIteratorBase &)::[lambda() (instance 3)]::operator "
    "()() const::[lambda() (instance 7)]::operator ()() const::[lambda(float) (instance 1)], std::array<char *, 2>, 4, "
    "TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, memory::LoadWithCast<1>, "
    "memory::StoreWithCast<1>>(int, T1, T2, T4, T5, T6, T7)",
]


@pytest.mark.parametrize("place", range(len(TORCH)))
def test_a_shortened_name_finds_its_whole_one_and_no_other(place):
    whole = [identity(name) for name in TORCH]
    assert counterpart(identity(SHORT[place]), whole) == whole[place]
    short = [identity(name) for name in SHORT]
    assert counterpart(whole[place], short) == short[place]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void g<(int)4, (bool)1>(float)", "g<4, true>"),
        ("a::k<std::array<char *, (unsigned long)2>>(int)", "void a::k<std::array<char*, 2ul> >(int)"),
        ("void at::<unnamed>::softmax<(int)8>(T2 *)", "at::(anonymous namespace)::softmax<8>(float*)"),
        ("void k<(Tile)2>(P)", "k<2>"),
        ("_ZN2at3addILi4EEEvPf", "void at::add<(int)4>(float *)"),
    ],
)
def test_spelling_makes_no_difference(one, other):
    assert identity(one) == identity(other)


@pytest.mark.parametrize(
    ("known", "others"),
    [
        ("k<4>", ["a::k<8>"]),  # two instances
        ("a::k<4>", ["b::k<4>"]),  # both have a namespace
        ("k<4>", ["a::k<4>", "b::k<4>"]),  # it could be either
        ("k", ["a::k<4>", "a::k<8>"]),
        ("j", ["a::k"]),
        ("k<4>", ["k<8>"]),
    ],
)
def test_what_may_be_another_kernel_is_not_joined(known, others):
    assert counterpart(known, others) is None


def test_a_bare_name_is_joined_with_the_only_one_of_that_name():
    assert counterpart("k", ["a::k<4>", "a::j<4>"]) == "a::k<4>"


@given(st.text(alphabet="ab<>(){}[]#:, 01", max_size=40))
def test_no_name_breaks_it(name):
    assert counterpart(identity(name), [identity(name)]) == identity(name)
    assert isinstance(shortened(identity(name)), str)
