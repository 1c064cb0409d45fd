"""Two runs beside each other, or why not."""

from perfproof.history import comparison
from tests.report.page_reader import Page
from tests.report.sample_runs import run, target
from tests.web.conftest import client_of
from tests.web.sample_site import name_of, save


def fields_of(text):
    page = Page(text)
    return {one.attributes["name"]: one.attributes["value"] for one in page.find("input") if "list" in one.attributes}


def test_the_form_suggests_runs_and_begins_with_the_last_two_of_one_target(client, site):
    text = client.get("/compare").text
    assert all(f'<option value="{name}">' in text for name in site[1].values())
    assert fields_of(text) == {"target": "ch07:everything", "a": site[1]["a"], "b": site[1]["b"]}
    assert "What changed from A to B" in text


def test_two_runs_that_cannot_be_compared_are_an_error_only_if_they_were_named(tmp_path):
    machines = [{"kind": "xeon-2c", "fingerprint": letter * 16} for letter in "ab"]
    names = [save(tmp_path, run(target("x"), machine=one), name_of(day, "a")) for day, one in enumerate(machines, 1)]
    client = client_of(tmp_path)
    assert client.get("/compare").status_code == 200
    assert client.get("/compare", params={"a": names[0], "b": names[1]}).status_code == 400


def test_an_interrupted_run_and_a_run_of_another_target_are_no_default(tmp_path):
    first = save(tmp_path, run(target("ch01:x")), name_of(1, "a"))
    second = save(tmp_path, run(target("ch01:x")), name_of(2, "b"))
    save(tmp_path, run(target("ch02:y")), name_of(3, "c"))
    save(tmp_path, run(target("ch01:x"), state="interrupted"), name_of(4, "d"))
    client = client_of(tmp_path)
    assert fields_of(client.get("/compare").text) == {"target": "ch01:x", "a": first, "b": second}
    assert client.get("/compare", params={"a": first, "b": second}).status_code == 200


def test_a_target_chooses_its_own_last_two_runs(client):
    chosen = fields_of(client.get("/compare", params={"target": "ch01:batched_gemm"}).text)
    assert chosen == {"target": "ch01:batched_gemm", "a": name_of(16, "nightly"), "b": name_of(20, "tour")}
    assert fields_of(client.get("/compare", params={"target": "none"}).text) == {"target": "none", "a": "", "b": ""}


def test_the_form_names_the_runs_that_are_compared_however_old(client, site):
    answer = client.get("/compare", params={"a": "000001", "b": "20250102", "judge": "time", "across": "yes"})
    fields = fields_of(answer.text)
    assert (fields["a"], fields["b"]) == (name_of(1, "nightly"), name_of(2, "nightly"))
    compared = answer.text.partition("What changed from A to B")[2].replace("<wbr>", "")
    assert fields["a"] in compared and fields["b"] in compared and site[1]["b"] not in compared
    assert "<option selected>time</option>" in answer.text and " checked" in answer.text


def test_a_beginning_of_many_names_is_refused_and_stays_in_the_form(client):
    answer = client.get("/compare", params={"a": "2025", "b": "latest"})
    assert answer.status_code == 400 and "write more of the name" in answer.text
    assert fields_of(answer.text)["a"] == "2025"


def test_two_runs_are_compared_target_by_target(client, site):
    answer = client.get("/compare", params={"a": site[1]["a"], "b": site[1]["b"]})
    assert answer.status_code == 200
    assert "What changed from A to B" in answer.text and "everything optimized" in answer.text.replace("<wbr>", "")
    assert "1 result is in one of the runs only" in answer.text and "withheld" in answer.text
    assert answer.text.count("no result in") == 1


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


def test_a_result_without_a_ratio_is_chosen_as_on_the_command_line(tmp_path):
    first = save(tmp_path, run(target("ch01:x")), name_of(1, "a"))
    bare = target("ch01:x")
    next(iter(bare.ratios.values())).ratio = None
    second = save(tmp_path, run(bare), name_of(2, "b"))
    save(tmp_path, run(target("ch01:x", status="crashed")), name_of(3, "c"))
    assert fields_of(client_of(tmp_path).get("/compare").text) == {"target": "ch01:x", "a": first, "b": second}
    earlier, later = comparison.last_two(str(tmp_path))
    assert (earlier.folder.name, later.folder.name) == (first, second)
