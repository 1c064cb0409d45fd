"""Two runs beside each other, or why not."""

from tests.report.sample_runs import run, target
from tests.web.conftest import client_of
from tests.web.sample_site import name_of, save


def test_the_form_offers_every_run_and_the_last_two_are_chosen(client, site):
    text = client.get("/compare").text
    assert all(f">{name}</option>" in text for name in site[1].values())
    assert f"<option selected>{site[1]['b']}</option>" in text and "What changed" not in text


def test_two_runs_are_compared_target_by_target(client, site):
    answer = client.get("/compare", params={"a": site[1]["a"], "b": site[1]["b"]})
    assert answer.status_code == 200
    assert "What changed from A to B" in answer.text and "everything optimized" in answer.text.replace("<wbr>", "")
    assert "missing" in answer.text and "withheld" in answer.text


def test_runs_of_different_machines_are_refused_with_what_differs(tmp_path):
    a = save(tmp_path, run(target()), name_of(1, "a"))
    b = save(tmp_path, run(target(), machine={"kind": "other", "fingerprint": "0" * 16}), name_of(2, "b"))
    client = client_of(tmp_path)
    refused = client.get("/compare", params={"a": a, "b": b})
    assert refused.status_code == 400 and "cannot be compared" in refused.text
    assert client.get("/compare", params={"a": a, "b": b, "across": "yes"}).status_code == 200


def test_a_run_that_is_none_is_refused(client, site):
    for name in ("../../etc", "nothing", name_of(31, "x")):
        answer = client.get("/compare", params={"a": name, "b": site[1]["b"], "judge": "speed-up"})
        assert answer.status_code == 400
    wrong = client.get("/compare", params={"a": site[1]["a"], "b": site[1]["b"], "judge": "<b>"})
    assert wrong.status_code == 400 and "&lt;b&gt;" in wrong.text
