"""Calculators in a browser: a form, its answer, and the command that gives the same."""

import shlex

from perfproof.cli.app import main
from perfproof.web.forms import calculator_names
from tests.report.page_reader import Page


def test_every_calculator_has_a_page(client):
    text = client.get("/calculators").text
    for name in calculator_names():
        assert f"/calculators/{name}" in text
        assert client.get(f"/calculators/{name}").status_code == 200


def test_the_answer_is_that_of_the_command_shown_beside_it(client, capsys):
    asked = {"sent": "yes", "model": "llama-3.1-8b", "tokens": "8192", "batch": "4", "tp": "1"}
    page = Page(client.get("/calculators/kv-cache", params=asked).text)
    command = page.one("pre", class_="command").text
    assert command == "perfproof calc kv-cache llama-3.1-8b --tokens 8192 --batch 4"
    assert main(shlex.split(command)[1:]) == 0
    printed = capsys.readouterr().out
    values = next(one for one in page.find("table") if "value" in one.text)
    for row in [one for one in values.children[2].children if one.tag == "tr"]:
        assert row.children[1].text in printed


def test_what_was_written_stands_in_the_form_again(client):
    asked = {"sent": "yes", "model": "llama-3.1-8b", "tokens": "'\"><b>x"}
    answer = client.get("/calculators/kv-cache", params=asked)
    page = Page(answer.text)
    assert answer.status_code == 400 and "is no number" in page.text
    field = page.one("input", id="field-tokens")
    assert field.attributes["value"] == "'\"><b>x" and not page.find("b")
    assert page.one("input", id="field-batch").attributes["value"] == "1", "what was not sent stands as it is by itself"


def test_every_field_has_a_label_and_a_description(client):
    for name in calculator_names():
        page = Page(client.get(f"/calculators/{name}").text)
        labels = {one.attributes["for"] for one in page.find("label")}
        idents = {one.attributes["id"] for one in page.elements if "id" in one.attributes}
        fields = [
            one for tag in ("input", "select") for one in page.find(tag) if one.attributes.get("type") != "hidden"
        ]
        for field in fields:
            assert field.attributes["id"] in labels
            assert field.attributes.get("aria-describedby", field.attributes["id"]) in idents


def test_an_unknown_calculator_is_not_there(client):
    assert client.get("/calculators/nothing").status_code == 404
