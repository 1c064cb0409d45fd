"""The dashboard and the report in a real browser: seen, reached by keyboard, accessible, and alone."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from perfproof.cli.app import main
from tests.web.sample_site import finish_load, kill_load, make_load, make_running, make_site

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe_module = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--disable-sync", "--no-first-run"]
LOOKS = {
    "light": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 375, "height": 700}, "color_scheme": "light"},
}
SERIOUS = ("serious", "critical")
DEADLINE = 60_000  # milliseconds, for a machine under load
SAME = {"run"}  # for axe the same page as the report
COLOURED = {"overview", "run of every verdict", "compare", "trend", "calculator", "live", "report", "load test"}
PHONE = {"overview", "report", "calculator", "compare", "load test"}  # pages whose shape changes there
DRAWN = """(svg) => [...svg.querySelectorAll("path, rect, polyline")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width + box.height > 5 && one.checkVisibility();
}).length"""
REACHABLE = "a[href]:not([tabindex='-1']), button, input:not([type=hidden]), select, summary, [tabindex='0']"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on this machine")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=DEADLINE)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    artifacts = tmp_path_factory.mktemp("browser") / "artifacts"
    names = make_site(artifacts)
    names["killed load"] = kill_load(artifacts, make_load(artifacts, 23))
    names["load"] = finish_load(artifacts, make_load(artifacts, 24), headline="1.48 req/s and 4.43 tokens/s")
    return artifacts, names


@pytest.fixture(scope="module")
def server(site):
    """The real server, by the command that people use."""
    command = [sys.executable, "-m", "perfproof", "dashboard", "--port", "0", "--artifacts-dir", str(site[0])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().strip().rstrip("/")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def addresses(site, server):
    """Every kind of page: of the dashboard, and the static report and index as files."""
    artifacts, names = site
    static = artifacts.parent / "static"
    assert main(["report", "index", "--output", str(static), "--artifacts-dir", str(artifacts)]) == 0
    dashboard = {
        "overview": "/",
        "run": f"/runs/{names['a']}",
        "run of every verdict": f"/runs/{names['all']}",
        "compare": f"/compare?a={names['a']}&b={names['b']}",
        "history": "/history",
        "trend": "/history/trend?target=ch01:batched_gemm",
        "calculators": "/calculators",
        "calculator": "/calculators/moe?sent=yes&model=deepseek-v3",
        "live": "/live",
        "load tests": "/loads",
        "load test": f"/loads/{names['load']}",
        "killed load test": f"/loads/{names['killed load']}",
        "files": "/artifacts",
        "files of a run": f"/artifacts/{names['a']}/",
    }
    files = {"report": static / f"{names['a']}.html", "index": static / "index.html"}
    return {name: server + path for name, path in dashboard.items()} | {
        name: path.as_uri() for name, path in files.items()
    }


class Watched:
    """A page whose errors and requests are kept."""

    def __init__(self, browser, look, server):
        self.look, self.context = look, browser.new_context(**LOOKS[look])
        self.page = self.context.new_page()
        self.page.set_default_timeout(DEADLINE)
        self.errors, self.foreign = [], []
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else 0)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda asked: self._look_at(asked.url, server))

    def _look_at(self, url, server):
        if not url.startswith((server, "file:", "data:")):
            self.foreign.append(url)


@pytest.fixture(params=list(LOOKS))
def watched(request, browser, server):
    found = Watched(browser, request.param, server)
    yield found
    found.context.close()


def serious_findings(axe, page, options):
    findings = [one for one in axe.run(page, options=options).response["violations"] if one["impact"] in SERIOUS]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in findings]


def test_every_page_is_accessible_alone_and_fits(watched, addresses):
    """Axe looks at everything in light. In dark only colours differ; narrow is the width of a phone."""
    axe = axe_module.Axe()
    options = {"resultTypes": ["violations"]} | ({"runOnly": ["color-contrast"]} if watched.look == "dark" else {})
    for name in COLOURED if watched.look == "dark" else addresses:
        watched.page.goto(addresses[name])
        if name in {"light": addresses.keys() - SAME, "dark": COLOURED, "narrow": PHONE}[watched.look]:
            assert not serious_findings(axe, watched.page, options), name
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert watched.page.evaluate(wide) <= 0, name
        if folder := os.environ.get("PERFPROOF_SCREENSHOTS"):  # for people who want to look at them
            watched.page.screenshot(path=str(Path(folder) / f"{name}-{watched.look}.png"), full_page=True)
    assert not watched.errors and not watched.foreign


def test_figures_are_visible(browser, server, addresses):
    watched = Watched(browser, "light", server)
    for name in ("run", "report", "trend"):
        watched.page.goto(addresses[name])
        figures = watched.page.locator("svg.figure")
        assert figures.count() >= (1 if name == "trend" else 4)
        for at in range(figures.count()):
            box = figures.nth(at).bounding_box()
            assert box and box["width"] > 200 and box["height"] > 50, name
            assert figures.nth(at).evaluate(DRAWN) >= 3, name
    watched.context.close()


def test_the_keyboard_reaches_everything(browser, server, addresses):
    """Tab goes through every link, field, table and fold that can be seen, in order, and shows where it is."""
    watched = Watched(browser, "light", server)
    for name in ("overview", "compare", "calculator", "trend", "report"):
        watched.page.goto(addresses[name])
        wanted = watched.page.evaluate(
            """(selector) => {
              const all = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
              all.forEach((one, at) => (one.dataset.place = at));
              return all.length;
            }""",
            REACHABLE,
        )
        seen = []
        for _ in range(wanted):
            watched.page.keyboard.press("Tab")
            seen.append(watched.page.evaluate("Number(document.activeElement.dataset.place ?? -1)"))
        assert seen == list(range(wanted)), name
        ring = watched.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring != "none", name
    watched.context.close()


def test_the_keyboard_alone_calculates(browser, server, addresses):
    watched = Watched(browser, "light", server)
    watched.page.goto(f"{server}/calculators/kv-cache")
    watched.page.get_by_label("model").select_option("llama-3.1-8b")
    watched.page.get_by_label("tokens", exact=True).fill("8192")
    watched.page.keyboard.press("Enter")
    watched.page.get_by_role("heading", name="Answer").wait_for()
    assert watched.page.get_by_text("8,192 tokens").count() and not watched.errors
    watched.context.close()


def test_keys_reach_the_search_the_rows_and_the_help(browser, server, addresses):
    watched = Watched(browser, "light", server)
    page = watched.page
    page.goto(addresses["overview"])
    page.keyboard.press("/")
    page.keyboard.type("jk?")  # words in a field are words
    assert page.evaluate("document.activeElement.id") == "q" and page.input_value("#q") == "jk?"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("heading", name="Keyboard shortcuts").wait_for()
    page.keyboard.press("Escape")
    page.goto(addresses["overview"])
    for key, at in (("j", 0), ("j", 1), ("k", 0)):
        page.keyboard.press(key)
        assert (
            page.evaluate("[...document.querySelectorAll('table.list tbody th a')].indexOf(document.activeElement)")
            == at
        )
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url(f"{server}/runs")
    assert not watched.errors
    watched.context.close()


def test_a_click_on_a_point_of_a_trend_opens_its_run(browser, server, addresses):
    watched = Watched(browser, "light", server)
    watched.page.goto(addresses["trend"])
    watched.page.locator("svg a").first.click()
    watched.page.wait_for_url(f"{server}/runs/20250101T120000Z-nightly-000001")
    watched.context.close()


def test_the_button_beside_a_command_copies_it(browser, server, addresses):
    watched = Watched(browser, "light", server)
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.page.goto(addresses["run"])
    watched.page.locator("header button.copy").click()
    watched.page.get_by_text("Copied").wait_for()
    assert watched.page.evaluate("navigator.clipboard.readText()").startswith("perfproof rerun ")
    watched.context.close()


def test_a_running_benchmark_is_followed_to_its_end(browser, server, site):
    watched = Watched(browser, "light", server)
    watched.page.goto(f"{server}/live")
    watched.page.get_by_text("Nothing runs now").wait_for()
    name = make_running(site[0])
    watched.page.get_by_text("[1/2] faster").wait_for()  # it came by itself, and was followed
    watched.page.get_by_text("1 of 2 done; b: plain: 1 of 5, 8 s left").wait_for()
    watched.page.get_by_text("b: 1.66x so far").wait_for()
    (site[0] / name / "progress.jsonl").unlink()
    watched.page.get_by_text("It has ended.").wait_for()
    watched.page.get_by_role("link", name="Its report").wait_for()
    assert not watched.errors and not watched.foreign
    watched.context.close()
    shutil.rmtree(site[0] / name)


def test_a_load_test_is_followed_to_its_result(browser, server, site):
    watched = Watched(browser, "light", server)
    watched.page.goto(f"{server}/live")
    watched.page.get_by_text("Nothing runs now").wait_for()
    name = make_load(site[0], requests=2)
    watched.page.get_by_text("2 requests so far, 1.94 answered per second").wait_for()  # it came by itself
    with (site[0] / name / "requests.jsonl").open("a") as file:
        file.write('{"index": 2, "intended": 2000000, "end": 4000000, "outcome": "timeout"}\n')
    watched.page.get_by_text("3 requests so far (1 timeout)").wait_for()
    watched.page.get_by_text("TTFT p50 20.0 ms").wait_for()
    finish_load(site[0], name, headline="2 requests, no more")
    watched.page.get_by_text("It has ended.").wait_for()
    watched.page.get_by_role("link", name="Its result").click()
    watched.page.get_by_text("2 requests, no more").wait_for()
    assert not watched.errors and not watched.foreign
    watched.context.close()
    shutil.rmtree(site[0] / name)
