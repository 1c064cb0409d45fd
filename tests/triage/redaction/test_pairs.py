"""Labels and values in every structure that holds the two together; and look-alikes."""

import pytest

from perfproof.triage.redaction import Redactor

STRUCTURES = [
    "{0}: {1}", "{0} = {1}", '"{0}": "{1}"', "{0} -> {1}", "{0} => {1}", "<{0}>{1}</{0}>", "--{0} {1}",
    "{0} ........ {1}", "**{0}**: {1}", "* {0} - {1}", "- name: {0}\n  value: {1}", "{0}:\n  {1}",
    "HOST   {0}   N\nx   {1}   3", "host,{0},n\nx,{1},3", "| host | {0} |\n|---|---|\n| x | {1} |",
    "INSERT INTO t (a, {0}) VALUES (1, '{1}');", "%7B%22{0}%22%3A%22{1}%22%7D", "<td>{0}</td><td>{1}</td>",
]  # fmt: skip
VALUES = [
    ("owner", "rbalasub"),
    ("patientName", "Ødegård Torvald"),
    ("kennwort", "sunflower7"),
    ("пароль", "sunflower7"),
]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize(("label", "value"), VALUES)
def test_a_value_is_hidden_in_every_structure(structure, label, value):
    assert value not in Redactor(b"key").text(structure.format(label, value) + "\n")


@pytest.mark.parametrize(
    "text", ["author: {name: Ngozi Eze}", '"authors": [{"name": "Ngozi Eze"}]', "[user]\n  name = Ngozi Eze\n"]
)
def test_a_plain_name_within_a_person_is_that_persons(text):
    assert "Ngozi" not in Redactor(b"key").text(text)


def test_a_name_that_was_told_is_hidden_where_it_stands_again():
    text = Redactor(b"key").text("Author: Wanda Kruk\nWanda restarted it\n/home/tgrieg/x\nhost tgrieg-ws\n")
    assert "Wanda" not in text and "tgrieg" not in text


@pytest.mark.parametrize(
    "text",
    [
        "operator: aten::add_ calls: 812",
        "teacher: bert-large student: distilbert temperature: 2.0",
        "self.owner = owner",
        "handle = get_handle(device_type)",
        "owner: rank 0, holder: stream 7",
        "sorted by: self_cuda_time_total",
        "export API_DIR=${API_DIR:-/opt}",
        "| resources | pass | sm_90a, 14 registers |",
        "OUT OF OR IN CONNECTION WITH THE USER\nOR THE USE OF THE SOFTWARE OR OTHER DEALINGS",
        "name: encoder.layer.0 | type: Linear | params: 2.4 M",
    ],
)
def test_a_thing_behind_such_a_label_stays(text):
    assert Redactor(b"key").text(text) == text
