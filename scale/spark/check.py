"""Holds STUDY/statistics.parquet, which SQL made, against the JSON of mpanalyze compare: check.py STUDY one.json."""
import json, math, sys

import pyarrow.parquet as pq

study, one = sys.argv[1], json.load(open(sys.argv[2]))
runs = pq.read_table(study + "/figures.parquet").to_pylist()
assert len(runs) == len({r["path"] for r in runs}) == len(one["runs"]) + len(one["skipped"]), "a run is missing, or there twice"
skipped = {(r["scenario"], r["run"]): r["skipped"] for r in runs if r["skipped"]}
assert skipped == {(s["scenario"], s["run"]): s["reason"] for s in one["skipped"]}, skipped
got = {(s["scenario"], s["figure"]): s for s in pq.read_table(study + "/statistics.parquet").to_pylist()}
want = {(s["name"], figure): m for s in one["scenarios"] for figure, m in s["metrics"].items()}
wrong = [f"{k}: only in one of both" for k in got.keys() ^ want.keys()]
for k in got.keys() & want.keys():
    scale = max(abs(want[k]["min"]), abs(want[k]["max"]))  # sums round with the values, also where their differences are small
    for name in ("runs", "mean", "stddev", "sample_stddev", "median", "min", "max"):
        a, b = got[k][name], want[k][name]
        same = a == b if name in ("runs", "min", "max") or None in (a, b) else math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12 * scale)
        if not same:
            wrong.append(f"{k} {name}: {a} in SQL, {b} of compare")
print("\n".join(wrong[:20] or [f"{len(got)} figures of {len(runs)} runs, {len(skipped)} skipped: SQL and compare agree"]))
sys.exit(bool(wrong))
