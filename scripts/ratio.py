#!/usr/bin/env python3
"""Measure commands one after the other and compare them with the first one.

It prints ratios of CPU time (user and system) and of wall time, and the peak memory. Absolute times depend on the machine
and on what else runs there. A ratio of two runs, one directly after the other, depends much less on that.

    scripts/ratio.py --rounds 7 'tcpdump=tcpdump -r F -w /dev/null' 'mine=mpanalyze analyze --json F'

Each round runs every command once. The order differs between rounds, because the state that a command leaves behind affects
the next one. Each figure is the median over the rounds of the ratio within a round, with the extremes behind it.
"""

import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def named(text):
    """Split NAME=COMMAND."""
    name, _, line = text.partition("=")
    if not line:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=COMMAND")
    return name, line


def run(line):
    """Run a command line once: CPU time and wall time in seconds, peak memory in KiB.

    The shell replaces itself with the command, so that only the command's usage is measured. The command gets standard
    input, so that a pipe can be measured with one round and one command.
    """
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(["sh", "-c", "exec " + line], stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            sys.exit(f"ratio: {line}: status {process.returncode}\n{said.read().decode(errors='replace')}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description="Compare CPU time, wall time and memory of commands with those of the first one.")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command runs")
    # Without this, a command would also take time to truncate the files of the round before.
    parser.add_argument("--fresh", metavar="DIR", help="directory to remove before each run")
    parser.add_argument("commands", nargs="+", type=named, metavar="NAME=COMMAND", help="a command line for sh; its output is discarded")
    args = parser.parse_args()
    runs = [[] for _ in args.commands]
    order = random.Random(1)  # the same every time
    for _ in range(args.rounds):
        for i in order.sample(range(len(runs)), len(runs)):
            if args.fresh:
                shutil.rmtree(args.fresh, ignore_errors=True)
            runs[i].append(run(args.commands[i][1]))
    # The system counts the memory of this program for a command, too, because the command begins as a copy of it.
    least = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{'':>12}{'CPU':>8}{'min-max':>14}{'wall':>8}{'min-max':>14}{'peak memory':>16}")
    for (name, _), taken in zip(args.commands, runs):
        row = f"{name:>12}"
        for figure in 0, 1:
            ratios = [one[figure] / base[figure] for one, base in zip(taken, runs[0])]
            row += f"{statistics.median(ratios):8.2f}{f'{min(ratios):.2f}-{max(ratios):.2f}':>14}"
        peak = max(one[2] for one in taken)
        print(f"{row}{('<=' if peak <= least else '') + f'{peak / 1024:.1f}':>12} MiB")


main()
