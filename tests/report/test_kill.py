"""kill -9 while pages are written leaves the old page or the new one, whole; never half of one."""

import random
import signal
import subprocess
import sys
import time

from tests.report.page_reader import Page
from tests.report.sample_runs import everything

KILLS = 6  # each starts an interpreter; 50 were tried once
WRITE_FOR_EVER = """
import sys
from perfproof.cli.app import main

print("ready", flush=True)
while True:
    main(["report", "run", sys.argv[1], "--format", "html"])
"""


def test_a_killed_report_leaves_a_whole_page(tmp_path):
    chance = random.Random(5)
    folder = tmp_path / "20250101T000000Z-tour-abc123"
    folder.mkdir()
    (folder / "run.json").write_text(everything().model_dump_json())
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITE_FOR_EVER, folder], stdout=subprocess.PIPE, text=True, cwd=tmp_path
        )
        for _ in range(2 + chance.randrange(3)):
            process.stdout.readline()
        time.sleep(chance.uniform(0, 0.05))  # somewhere in the next one
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        text = (folder / "report.html").read_text()
        assert text.endswith("</html>\n") and Page(text).find("table")
