import os, time, pathlib, pytest
def test_one(run_pair):
    for p in os.environ["PAIRS"].split():
        t=time.time()
        r=run_pair(pathlib.Path(p), timeout=float(os.environ.get("T","120")))
        print("\n==", p, r.status, r.verdict, r.reason, round(time.time()-t,2))
        for c in r.checks: print("   ", c.result, c.name, c.detail[:150])
        for w in r.warnings: print("   W", w.code, w.text)
        for k,v in r.ratios.items(): print("   ", k, v.verdict, v.ratio, v.low, v.high, v.rung, v.carry_over)
        for k,v in r.variants.items(): print("   ", k, v.times, v.error)
        if r.output_tail: print(r.output_tail[-1500:])
