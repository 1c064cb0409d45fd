"""The index of the history is brought up to date when there is something new, and only then."""

from types import SimpleNamespace

from perfproof.core.dashboard import Settings
from perfproof.web import index
from tests.report.sample_runs import run, target
from tests.web.sample_site import make_running, name_of, save


def test_a_run_in_progress_is_read_again_when_it_has_another_result(tmp_path, monkeypatch):
    name, reads = make_running(tmp_path), []
    monkeypatch.setattr(index, "catch_up", lambda *_: reads.append(1))
    monkeypatch.setattr(index, "settings_of", lambda _: Settings(tmp_path))

    def look():
        with index.opened(SimpleNamespace()):
            return len(reads)

    assert look() == look() == 1
    (tmp_path / name / "run.json").unlink()
    (tmp_path / name / "progress.jsonl").unlink()
    (tmp_path / name).rmdir()
    save(tmp_path, run(target(), target("b"), state="running", planned=["ch01:batched_gemm", "b"]), name)
    assert look() == look() == 2
    save(tmp_path, run(target()), name_of(29, "other"))
    assert look() == look() == 3
