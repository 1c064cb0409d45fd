"""Chinese, Japanese and Korean names beside a title, a label or a telephone."""

import pytest

from perfproof.triage.redaction import Redactor


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("诸葛桐心 微信 tx91 手机 15902147736", "诸葛桐心"),
        ("문의: 황보지훈 선임", "황보지훈"),
        ("氏名 小鳥遊 陽菜 生年月日 1994年7月2日", "小鳥遊"),
        ("接班人：司徒志远", "司徒志远"),
        ("担当：長谷川 美咲 内線 2214", "長谷川"),
    ],
)
def test_a_name_is_hidden(text, name):
    assert name not in Redactor(b"key").text(text)


@pytest.mark.parametrize(
    "text", ["- 다음 점검: 다음 달 둘째 주", "驱动版本 535.183.01，温度正常", "電源冗長、最大 10.2 kW"]
)
def test_a_sentence_stays(text):
    assert Redactor(b"key").text(text) == text
