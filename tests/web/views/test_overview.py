"""The first page: verdicts, runs, and what runs now."""

from tests.report.page_reader import Page
from tests.report.sample_runs import judged, run, target
from tests.web.conftest import client_of
from tests.web.sample_site import make_running, name_of, save

ATTACK = "</td><script>alert(1)</script><img src=x onerror='alert(2)'>"


def test_the_newest_verdict_of_every_target_is_shown_with_losses(client, site):
    page = Page(client.get("/").text)
    table = next(one for one in page.find("table", class_="summary stacked list"))
    for words in ("faster", "slower", "same", "unstable", "skipped", "crashed", "ch04:sharded_optimizer (naive)"):
        assert words in table.text
    links = {one.attributes.get("href") for one in page.find("a")}
    assert {f"/runs/{name}" for name in site[1].values()} <= links
    assert any(link.startswith("/history/trend?target=ch01%3Abatched_gemm&") for link in links)


def test_the_link_of_a_row_opens_the_trend_of_its_machine_its_variant_and_its_sizes(tmp_path):
    small = {"a": judged("faster", 2.0, 1.9, 2.1), "b": judged("same", 1.0, 0.9, 1.1)}
    large = {"a": judged("faster", 4.0, 3.9, 4.1)}
    for day, kind, ratios, rows in ((1, "laptop", small, 8), (2, "server", large, 64)):
        result = target("ch01:x").model_copy(update={"ratios": ratios, "sizes": {"n": rows}})
        save(tmp_path, run(result, machine={"kind": kind}), name_of(day, kind))
    client = client_of(tmp_path)
    links = [one.attributes["href"] for one in Page(client.get("/").text).find("a")]
    opened = [Page(client.get(link).text).one("p", class_="under").text for link in links if "/trend?" in link][-3:]
    for subtitle, words in zip(
        opened, ("over a on laptop; 1 point", "over b on laptop; 1 point", "over a on server; 1 point"), strict=True
    ):
        assert words in subtitle and ("n=64" if "server" in words else "n=8;") in subtitle


def test_a_run_in_progress_is_announced(tmp_path):
    name = make_running(tmp_path)
    text = client_of(tmp_path).get("/").text
    assert "Running now" in text and name.rpartition("-")[2] in text


def test_script_in_a_name_a_lesson_or_a_reason_is_words(tmp_path):
    bad = target(ATTACK, status="crashed", reason=ATTACK, lesson=ATTACK, output_tail=ATTACK)
    name = save(tmp_path, run(bad, target(f"ch01:{ATTACK}"), machine={"kind": ATTACK}), name_of(1, "bad"))
    client = client_of(tmp_path)
    for address in ("/", f"/runs/{name}", "/history", f"/artifacts/{name}/", f"/compare?a={name}&b={name}"):
        answer = client.get(address)
        page = Page(answer.text)
        assert all("alert(1)" not in one.text for one in page.find("script")), address
        assert not page.find("img") and "<script>alert" not in answer.text, address


def test_a_huge_field_is_cut(tmp_path):
    huge = "y" * 3_000_000
    bad = target("ch01:a", status="crashed", reason=huge, lesson=huge, output_tail=huge)
    name = save(tmp_path, run(bad, target("z" * 1_000_000)), name_of(1, "huge"))
    client = client_of(tmp_path)
    for address in ("/", f"/runs/{name}"):
        text = client.get(address).text
        assert "characters more" in text and len(text) < 400_000, address


def test_a_document_that_cannot_be_read_is_said_and_the_others_are_shown(tmp_path):
    save(tmp_path, run(target("ch01:good")), name_of(1, "good"))
    broken = tmp_path / name_of(2, "broken")
    broken.mkdir()
    (broken / "run.json").write_text("{")
    text = client_of(tmp_path).get("/").text
    assert "cannot be read" in text and "good" in text


def test_an_unstable_row_says_why_and_a_run_is_linked_by_its_id(tmp_path):
    shaky = judged("unstable", None, None, None, note="half of the samples were disturbed")
    groups = judged("unstable", 1.2, None, None, modes=[{"ratio": 1.9, "launches": 12}, {"ratio": 0.1, "launches": 2}])
    for day, one in ((1, target("a", shaky, verdict="unstable")), (2, target("b", groups, verdict="unstable"))):
        save(tmp_path, run(one), name_of(day, "shaky"))
    table = Page(client_of(tmp_path).get("/").text).one("table", class_="summary stacked list").text
    assert "half of the samples were disturbed" in table and "12 of 14 launches at 1.90x" in table
    assert "000001 run of a" in " ".join(table.split())
