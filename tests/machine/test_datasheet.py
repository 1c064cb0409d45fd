"""The data sheets: the right card is found, figures are dense, and what a card cannot pass follows from its clock."""

import pytest

from perfproof.machine.datasheet import SHEETS, family, find, named


@pytest.mark.parametrize(
    "name, sheet",
    [
        ("NVIDIA H200", "H200 SXM"),
        ("NVIDIA H200 NVL", "H200 NVL"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("NVIDIA H100 PCIe", "H100 PCIe"),
        ("NVIDIA H100 NVL", "H100 NVL"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80 GB"),
        ("NVIDIA A100-SXM4-40GB", "A100 SXM 40 GB"),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB"),
        ("NVIDIA A100-PCIE-40GB", "A100 PCIe 40 GB"),
        ("NVIDIA GH200 480GB", "GH200 96 GB HBM3"),
        ("NVIDIA GH200 144G HBM3e", "GH200 144 GB HBM3e"),
        ("NVIDIA B200", "B200"),
        ("NVIDIA GB200", "GB200"),
        ("NVIDIA B300 SXM6 AC", "B300"),
        ("NVIDIA GB300", "GB300"),
        ("NVIDIA GB10", "GB10"),
        ("NVIDIA H20", "H20"),
        ("NVIDIA GeForce RTX 5090", "RTX 5090"),
        ("NVIDIA A10G", "A10G"),
        ("AMD Instinct MI300X", "MI300X"),
        ("AMD Instinct MI300X OAM", "MI300X"),
        ("AMD Instinct MI325X", "MI325X"),
        ("AMD Instinct MI355X", "MI355X"),
        ("NVIDIA L4", "L4"),
        ("NVIDIA L40S", "L40S"),
        ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("GeForce RTX 3090", "RTX 3090"),
        ("NVIDIA GeForce RTX 3090", "RTX 3090"),
        ("NVIDIA A10", "A10"),
        ("NVIDIA A30", "A30"),
        ("NVIDIA A40", "A40"),
        ("A100-SXM4-40GB", "A100 SXM 40 GB"),
        ("NVIDIA A100-SXM-80GB", "A100 SXM 80 GB"),
        ("Tesla V100-SXM2-16GB", "V100 SXM2"),
        ("Tesla V100-SXM2-32GB", "V100 SXM2"),
        ("Tesla V100-PCIE-16GB", "V100 PCIe"),
        ("Tesla V100-PCIE-32GB", "V100 PCIe"),
        ("Tesla T4", "T4"),
    ],
)
def test_a_card_is_found_by_its_drivers_name(name, sheet):
    assert find(name).name == sheet


@pytest.mark.parametrize(
    "name, sheet",
    [
        ("H200", "H200 SXM"),
        ("h100 sxm", "H100 SXM"),
        ("NVIDIA H100 SXM5 80GB", "H100 SXM"),
        ("RTX 4090", "RTX 4090"),
        ("nvidia h100 80gb hbm3", "H100 SXM"),
    ],
)
def test_a_card_is_found_as_people_write_it(name, sheet):
    assert find(name).name == sheet


@pytest.mark.parametrize(
    "name", ["NVIDIA H100 80GB HBM3 MIG 1g.10gb", "NVIDIA A30-1-6C", "NVIDIA A40-48Q", "GRID T4-16Q"]
)
def test_a_slice_of_a_card_has_no_sheet(name):
    assert find(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("", "NVIDIA", "NVIDIA H100", "NVIDIA H100 SXM5 64GB", "NVIDIA A100-SXM-64GB", "unknown: GPU is lost"),
        *(
            "NVIDIA H20-3e",
            "NVIDIA L40",
            "AMD Instinct MI300A",
            "NVIDIA A800-SXM4-80GB",
            "Tesla V100-SXM3-32GB",
            "Tesla V100-SXM2-32GB-LS",
        ),
        *(
            "NVIDIA GeForce RTX 4090 D",
            "NVIDIA GeForce RTX 4090 Laptop GPU",
            "NVIDIA GeForce RTX 3090 Ti",
            "NVIDIA GeForce RTX 5090 D",
        ),
    ],
)
def test_a_card_that_only_sounds_alike_has_no_sheet(name):
    assert find(name) is None


def test_the_figures_of_an_h200_are_dense():
    h200 = find("NVIDIA H200")
    assert h200.memory_bytes_s == 4.8e12
    assert h200.flops["bf16"] == pytest.approx(989.4e12) and h200.flops["fp8"] == pytest.approx(1978.9e12)
    assert (h200.sms, h200.power_watts, h200.boost_hz) == (132, 700, 1.98e9)


def test_the_bound_follows_the_cards_highest_clock():
    h200 = find("NVIDIA H200")
    assert h200.bound("bf16", 1.98e9) == 132 * 4096 * 1.98e9  # the sheet's 989 are at 1.83 GHz
    assert h200.bound("bf16", 1.0e9) == h200.flops["bf16"]  # a lower clock lowers no bound
    assert h200.bound("bf16") == h200.flops["bf16"]
    assert find("Tesla V100-SXM2-32GB").bound("fp8", 1.5e9) is None
    assert h200.shared_bound(1.98e9) == 132 * 128 * 1.98e9


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_a_sheet_is_consistent(sheet):
    """Operations a cycle times multiprocessors times the boost clock give the sheet's figure, or somewhat more."""
    assert sheet.source and any(year in sheet.source for year in map(str, range(2017, 2027)))
    assert 1e11 < sheet.memory_bytes_s < 1e13
    assert set(sheet.flops) <= {"fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"}
    if sheet.sms and sheet.boost_hz:
        for dtype, stated in sheet.flops.items():
            ratio = sheet.sms * sheet.per_clock[dtype] * sheet.boost_hz / stated
            assert 0.98 < ratio < 1.12, f"{dtype}: {ratio:.3f}"


def test_lower_precision_is_never_slower_on_tensor_cores():
    for sheet in SHEETS:
        figures = [sheet.flops[dtype] for dtype in ("tf32", "bf16", "fp8", "fp4") if dtype in sheet.flops]
        assert figures == sorted(figures), sheet.name


@pytest.mark.parametrize(
    ("name", "rates"),
    [
        ("B200", {"fp4": 9e15}),  # HGX B200: 72 PFLOP/s dense of 8
        ("GB200", {"fp4": 10e15}),  # NVL72: 720 of 72
        ("GB300", {"fp4": 15e15}),  # NVL72: 1,080 of 72
        ("B300", {"fp4": 13.5e15}),  # HGX B300: 108 of 8
        ("RTX 4090", {"fp8": 660.6e12}),  # 128 SMs x 2048 x 2.52 GHz
        ("RTX 5090", {"fp8": 838e12, "fp4": 1676e12}),
    ],
)
def test_cards_with_small_floats_have_their_rate(name, rates):
    assert {dtype: named(name).flops[dtype] for dtype in rates} == rates


def test_a_card_without_fp8_has_no_rate_for_it():
    assert all("fp8" not in named(name).flops for name in ("A100 SXM 80 GB", "A10G", "RTX 3090", "T4", "V100 PCIe"))


def test_a_family_alone_names_its_cards_and_a_card_names_itself():
    assert set(family("nvidia h100")) == {"H100 SXM", "H100 PCIe", "H100 NVL"} and named("H100") is None
    assert len(family("A100")) == 4 and len(family("V100")) == 2
    assert named("H200").name == "H200 SXM"  # the driver's own name of that card
    assert family("") == family("NVIDIA") == family("A10") == family("H1") == []
