"""Test a server: one rate, one number of users or one trace; with an SLO, a search over rates."""

from contextlib import ExitStack

from perfproof.app.load.asked import Asked, Say
from perfproof.app.load.done import Done
from perfproof.app.load.plan import describe, few_requests, make_plan, search_time
from perfproof.app.load.records import records_in
from perfproof.app.load.result import make_result
from perfproof.app.load.search import search_rates
from perfproof.app.load.watched import run_watched
from perfproof.history.folders import open_run


def run_load(asked: Asked, say: Say) -> Done:
    """Test a server: one rate, one number of users or one trace; with an SLO, a search over rates."""
    with ExitStack() as stack:
        plan = make_plan(asked, asked.url, stack, say)
        say(f"{plan.service.model} at {asked.url}: {describe(asked, plan)}")
        folder = open_run(asked.artifacts_dir, "load").path
        file = stack.enter_context(records_in(folder, asked, plan))
        if asked.slo:
            say(f"about {search_time(asked)}, in 10 to 14 steps")
            if hint := few_requests(asked, plan):
                say(hint)
            found, slo = search_rates(asked, plan, file, say)
        else:
            found, slo = run_watched(plan, file), None
        result = make_result(asked, plan, found, slo)
    return Done(result, folder, found.records)
