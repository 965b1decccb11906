#!/usr/bin/env python3
"""Holds the manifests against the schema of Kubernetes, and runs the commands in them, without Kubernetes: as four tasks,
on captures of which three are bad. The comparison must be that of one process. A task that could not read a capture for
now has to fail with the status of the program, and be started again.
    check.py MPANALYZE FOLDER   where FOLDER has {scenario}/run{run}/client.pcap.zst; needs kubernetes-validate of PyPI
"""
import copy, os, re, subprocess, sys, tempfile
from pathlib import Path

import kubernetes_validate, yaml

here, program, folder = Path(__file__).parent, Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
jobs = {name: yaml.safe_load((here / f"{name}.yaml").read_text()) for name in ("figures", "compare")}
for name, job in jobs.items():
    print(name, "is valid for Kubernetes", kubernetes_validate.validate(job, "1.37", strict=True))
wrong = copy.deepcopy(jobs["figures"])
wrong["spec"]["completionModus"] = wrong["spec"].pop("completionMode")
try:
    kubernetes_validate.validate(wrong, "1.37", strict=True)
    sys.exit("the schema takes a field that is none: nothing was checked")
except kubernetes_validate.ValidationError:
    pass
container = jobs["figures"]["spec"]["template"]["spec"]["containers"][0]
assert {"name": "TASKS", "value": str(jobs["figures"]["spec"]["completions"])} in container["env"], "TASKS is not the number of completions"

LATER = int(re.search(r"^later=(\d+)", (here.parent / "task.sh").read_text(), re.M)[1])
assert 1 <= jobs["figures"]["spec"]["backoffLimitPerIndex"] <= 10, "a task that fails is not started again, or without end"
for rule in jobs["figures"]["spec"]["podFailurePolicy"]["rules"]:
    assert LATER not in rule.get("onExitCodes", {}).get("values", []), f"exit status {LATER} is treated in another way"

with tempfile.TemporaryDirectory() as made:
    study = Path(made)
    os.mkdir(study / "bin")
    os.symlink(program, study / "bin" / "mpanalyze")
    captures = sorted(folder.glob("*/run*/client.pcap.zst"))
    runs = [f"{f.parts[-3]},{f.parts[-2]},{f}" for f in captures]
    for bad, content in {"cut": captures[0].read_bytes()[:100_000], "text": b"notes\n", "empty": b""}.items():
        (study / f"{bad}.pcap.zst").write_bytes(content)
        runs.append(f"{captures[0].parts[-3]},{bad},{bad}.pcap.zst")
    (study / "runs.csv").write_text("\n".join(["scenario,run,files", *runs, ""]))
    path = {**os.environ, "PATH": f"{study / 'bin'}:{os.environ['PATH']}"}

    def run(name, **env):
        command = jobs[name]["spec"]["template"]["spec"]["containers"][0]["command"]
        return subprocess.run(command, cwd=study, env={**path, **env}, check=True, stdout=subprocess.PIPE, timeout=300).stdout.decode()

    def tasks():
        return [run("figures", JOB_COMPLETION_INDEX=str(i), TASKS="4") for i in range(4)]

    os.rename(study / "bin" / "mpanalyze", study / "bin" / "real")
    (study / "bin" / "mpanalyze").write_text(f"#!/bin/sh\nexit {LATER}\n")
    os.chmod(study / "bin" / "mpanalyze", 0o755)
    try:
        tasks()
        sys.exit("a task that could not read a capture is a success")
    except subprocess.CalledProcessError as failed:
        assert failed.returncode == LATER, f"the pod has exit status {failed.returncode}, not {LATER}"
    os.replace(study / "bin" / "real", study / "bin" / "mpanalyze")

    first, table, document = tasks(), run("compare"), (study / "study.json").read_bytes()
    assert all(": 0 analysed, " in line for line in tasks()), "captures were analysed again"
    one = subprocess.run([program, "compare", "--no-cache", "--manifest", "runs.csv", "--json=one.json"], cwd=study, stdout=subprocess.PIPE, timeout=300)
    assert one.returncode == 2 and one.stdout.decode() == table and (study / "one.json").read_bytes() == document, "the comparison differs"
    print(*first, "the comparison of the Job's four tasks is that of one process; nothing is analysed again", sep="")
