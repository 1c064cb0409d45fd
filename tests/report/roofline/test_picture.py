"""The picture: what is in it, that it refers to nothing outside, and that nothing in it overlaps."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from perfproof.report import browser
from perfproof.report.roofline import marks as roofline_marks
from perfproof.report.roofline.picture import compute_roofs, draw, position
from tests.report.sample_rooflines import kernel, pairs, roofline, tensor_kernels


def svg(document, tmp_path, **options):
    draw(document, [tmp_path / "x.svg"], **options)
    return (tmp_path / "x.svg").read_text()


def words(text):
    return ["".join(node.itertext()) for node in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]


def test_both_kinds_of_file_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(browser, "take_picture", lambda drawn, size: b"PNG of " + drawn.encode()[:5])
    draw(pairs(), [tmp_path / "deep" / "x.svg", tmp_path / "x.png"])
    assert (tmp_path / "x.png").read_bytes() == b"PNG of <?xml"
    assert "<svg" in (tmp_path / "deep" / "x.svg").read_text()


def test_names_roofs_and_numbers_are_text(tmp_path):
    found = words(svg(pairs(), tmp_path))
    assert {"Roofline: nvidia-h200", "a", "b", "1a", "1b", "2", "from model", "baseline"} <= set(found)
    assert any(word.startswith("DRAM  4 TB/s") for word in found)
    assert "fp32" in " ".join(found) and "50 TFLOP/s" in " ".join(found)


def test_nothing_is_fetched_from_anywhere(tmp_path):
    text = svg(tensor_kernels(), tmp_path)
    assert not re.search(r"@import|url\((?!#)|<script|<image|<!DOCTYPE|<metadata", text)
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', text))


def test_the_same_document_gives_the_same_file(tmp_path):
    assert svg(pairs(), tmp_path) == svg(pairs(), tmp_path)


def test_the_dual_roofline_stands_beside_it_where_it_is_known(tmp_path):
    found = " ".join(words(svg(tensor_kernels(), tmp_path)))
    assert "Tensor cores vs TMEM" in found and "binds: undetermined" in found and "SM clock 1.80 GHz" in found
    assert "Tensor cores vs" not in " ".join(words(svg(pairs(), tmp_path)))


def test_a_point_above_a_roof_is_ringed_and_called_impossible(tmp_path):
    found = words(svg(roofline(kernel(moved=99e9)), tmp_path))
    assert "impossible" in found and any("counting error" in word for word in found)
    assert "impossible" not in words(svg(roofline(kernel()), tmp_path))


def test_thirty_kernels_have_twelve_numbers_and_the_rest_is_counted(tmp_path):
    many = [kernel(f"k{n}", flops=8e9 * 1.3**n, seconds=1e-3 * (1 + n)) for n in range(30)]
    found = words(svg(roofline(*many), tmp_path))
    assert found.count("12") >= 2 and "13" not in found  # beside the point and in the list
    assert any(word.startswith("and 18 more") for word in found)


def test_a_kernel_without_a_place_does_not_spoil_the_picture(tmp_path):
    lost = [kernel("no time", seconds=None), kernel("no flops", flops=0.0), kernel("no bytes", bytes={})]
    assert [position(one) for one in roofline(*lost).kernels] == [None, None, None]
    assert "no flops" in words(svg(roofline(*lost), tmp_path))
    assert "k" in words(svg(roofline(kernel("k"), *lost), tmp_path))


@pytest.mark.parametrize("name", ["a$b", "k$_{x$<&>", "核函数", "x" * 300, "%s {0}"])
def test_any_name_is_drawn_as_it_is(name, tmp_path):
    assert any(name[:3] in word for word in words(svg(roofline(kernel(name)), tmp_path)))


def test_a_baseline_is_drawn_below_its_variants(tmp_path):
    shapes = re.findall(r'<polygon points="[^"]*" fill="([^"]*)" stroke="([^"]*)"', svg(pairs(), tmp_path))
    hollow = [place for place, (_, edge) in enumerate(shapes) if edge not in ("#ffffff", "none")]
    filled = [place for place, (_, edge) in enumerate(shapes) if edge == "#ffffff"]
    assert len(hollow) == 3 and len(filled) == 3 and max(hollow[:2]) < min(filled)  # the third is in the key


def test_the_word_impossible_covers_no_other_ring(tmp_path):
    many = [kernel(f"k{n}", flops=8e12 * 1.1**n) for n in range(8)]
    drawn = svg(roofline(*many), tmp_path)
    assert drawn.count('stroke="#000000"') == 8 and words(drawn).count("impossible") == 1


@pytest.mark.parametrize("kind", ["memory", "compute"])
def test_roofs_of_one_kind_only_are_drawn(kind, tmp_path):
    document = roofline(kernel())
    left = document.model_copy(update={"roofs": [roof for roof in document.roofs if roof.kind == kind]})
    assert "k" in words(svg(left, tmp_path))


def test_compute_roofs_are_those_in_use_and_equal_ones_share_a_line():
    document = roofline(kernel(dtype="bf16"), kernel(dtype="fp16"))
    assert [roof.name for roof in compute_roofs(document, document.kernels)] == ["bf16, fp16"]
    assert [roof.name for roof in compute_roofs(document, [kernel(dtype="fp32")])] == ["fp32"]
    assert [roof.name for roof in compute_roofs(document, [kernel(dtype="")])] == ["bf16"]


def test_area_is_the_share_of_time():
    small, large = (kernel(share_of_time=share) for share in (0.2, 0.4))
    assert roofline_marks.area_of(large) == pytest.approx(2 * roofline_marks.area_of(small))
    assert roofline_marks.area_of(kernel(share_of_time=1e-9)) == roofline_marks.SMALLEST


@pytest.mark.parametrize("count", [5, 12])
def test_numbers_beside_points_do_not_cover_each_other(count):
    crowd = [(str(number), (300 + 15 * (number % 4), 300 + 15 * (number // 4), 5.0)) for number in range(count)]
    spots = roofline_marks.number_spots(crowd)
    near = [(a, b) for place, a in enumerate(spots) for b in spots[:place] if abs(a[1] - b[1]) < 12]
    assert not any(abs(a[0] - b[0]) < 12 for a, b in near)
