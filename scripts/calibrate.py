#!/usr/bin/env python3
"""Counts how often verdicts are right, missed and wrong on sessions with known causes.

  calibrate.py MPANALYZE PAGE FOLDER...

Each folder holds sessions: folders with captures and a verdicts.json, whose facts say which verdicts there must be (MUST), which
there must not be (NEVER), and which causes a verdict on losses may name (CAUSE). The table replaces that of PAGE, between two
lines of comment. A fact counts at each end for which it is given, and a fact that allows several codes counts for the one that is said.
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

BEGIN, END = "<!-- begin calibration -->\n", "<!-- end calibration -->\n"
RANK = ["critical", "warning", "note", "ok"]


def ends(fact):
    """-> lists of ends: the fact holds if it holds at one end of each list."""
    at = fact.get("at", "each")
    return {"each": [["client"], ["server"]], "either": [["client", "server"]]}.get(at, [[at]])


def codes(fact):
    return fact["code"] if isinstance(fact.get("code"), list) else [fact.get("code")]


def verdicts(mpanalyze, session, truth, end):
    """-> the verdicts of a capture, with the client's address of their connection."""
    files = [os.path.join(session, f) for f in truth["captures"][end]]
    place = ["--vantage", truth["vantage"][end]] if end in truth.get("vantage", {}) else []
    out = subprocess.run([mpanalyze, "why", "--json", *place, *files], capture_output=True, check=True, timeout=120).stdout
    page = json.loads(out)
    found = []
    for kind in ("connections", "tcp"):
        for c in page.get(kind) or []:
            client = c["a"] if c["a"]["addr"] in truth["clients"][end] else c["b"]
            side = "a2b" if client is c["a"] else "b2a"
            for v in c["verdicts"]:
                found.append(dict(v, up=v.get("direction") == side, client="%s:%s" % (client["addr"], client["port"])))
    return found


def fits(v, fact, truth, end):
    """-> whether a verdict is of the direction, path and connection of a fact, and as severe."""
    if fact.get("direction") and v.get("direction") and v["up"] != (fact["direction"] == "up"):
        return False
    if fact.get("path") is not None and v.get("path"):
        if not any(a in v["path"] for a in truth["paths"][str(fact["path"])][end]):
            return False
    if fact.get("connection") and fact["connection"] != v["client"]:
        return False
    if fact.get("text") and not re.search(fact["text"], " ".join([v["text"], v["remedy"], json.dumps(v["evidence"])])):
        return False
    return not fact.get("severity") or RANK.index(v["severity"]) <= RANK.index(fact["severity"])


def judge(mpanalyze, session):
    """-> a counter of (code, what) for one session."""
    with open(os.path.join(session, "verdicts.json")) as f:
        truth = json.load(f)
    said = {end: verdicts(mpanalyze, session, truth, end) for end in truth["captures"]}
    count = collections.Counter()
    for fact in truth["facts"]:
        if fact["kind"] not in ("MUST", "NEVER", "CAUSE") or "*" in codes(fact) or fact.get("groups"):
            continue
        for places in ends(fact):
            found = [v for end in places for v in said.get(end, []) if fits(v, fact, truth, end)]
            if not any(end in said for end in places):
                continue
            if fact["kind"] == "CAUSE":
                for v in found:
                    cause = (v.get("cause") or {}).get("code")
                    allowed = [c["code"] if isinstance(c, dict) else c for c in fact["any_of"]]
                    if v["code"] in ("heavy_loss", "loss_limited") and cause:
                                count["cause " + cause, "right" if cause in allowed else "open" if cause == "unknown" else "wrong"] += 1
                continue
            hit = [v["code"] for v in found if v["code"] in codes(fact)]
            if fact["kind"] == "MUST":
                count[hit[0] if hit else codes(fact)[0], "right" if hit else "missed"] += 1
            elif hit:
                count[hit[0], "wrong"] += 1
            else:
                for code in codes(fact):
                    count[code, "silent"] += 1
    return count


def table(count):
    rows = ["| verdict | must be said: said, missed | must not be said: silent, said |", "| --- | --- | --- |"]
    for code in sorted({c for c, _ in count if not c.startswith("cause ")}):
        n = lambda what: count[code, what]
        rows.append("| `%s` | %d, %d | %d, %d |" % (code, n("right"), n("missed"), n("silent"), n("wrong")))
    rows += ["", "| cause of losses that is named | right | wrong | one of several, or none excluded |", "| --- | --- | --- | --- |"]
    for code in sorted({c for c, _ in count if c.startswith("cause ")}):
        rows.append("| %s | %d | %d | %d |" % (code[6:], count[code, "right"], count[code, "wrong"], count[code, "open"]))
    return "\n".join(rows) + "\n"


def main():
    mpanalyze, page, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    sessions = sorted(os.path.dirname(f) for folder in folders for f in glob.glob(os.path.join(folder, "*", "verdicts.json")))
    if not sessions:
        sys.exit("calibrate.py: no session with a verdicts.json in %s: give folders that hold such sessions" % ", ".join(folders))
    count = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for c in pool.map(lambda s: judge(mpanalyze, s), sessions):
            count += c
    with open(page) as f:
        before, rest = f.read().split(BEGIN)
    with open(page, "w") as f:
        f.write(before + BEGIN + "\n%d sessions with known causes.\n\n%s\n" % (len(sessions), table(count)) + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
