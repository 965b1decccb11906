#!/bin/bash
# Runs figures.sh on a real Slurm of two nodes on this host, kills one of them in the middle and holds the comparison
# against that of one process. Three captures are bad. Needs root and the Debian packages slurmctld, slurmd, slurm-client and munge.
#   check.sh MPANALYZE FOLDER   where FOLDER has {scenario}/run{run}/client.pcap.zst
# Exit status 77: Slurm does not start here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
MPANALYZE=$(realpath "$1") folder=$(realpath "$2") dir=$(mktemp -d) host=$(hostname -s)
export MPANALYZE SLURM_CONF=$dir/slurm.conf
pids=()
munge=
trap '[ -z "$munge" ] || kill "$munge" || true; for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null || true; done; rm -rf "$dir"' EXIT
chmod 755 "$dir"

{
  cat <<CONF
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CryptoType=crypto/munge
SlurmctldPort=16817
StateSaveLocation=$dir/state
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdSpoolDir=$dir/%n
SlurmdPidFile=$dir/%n.pid
SlurmdLogFile=$dir/%n.log
SlurmctldLogFile=$dir/slurmctld.log
SlurmdTimeout=15
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
MpiDefault=none
ReturnToService=2
CONF
  for n in 1 2; do echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=1700$n CPUs=1"; done
  echo "PartitionName=check Nodes=n1,n2 Default=YES State=UP"
} >"$dir/slurm.conf"
mkdir -p "$dir/state" "$dir/n1" "$dir/n2" /run/munge
if ! munge -n >/dev/null 2>&1; then
  chown munge /run/munge
  runuser -u munge -- munged --foreground >/dev/null 2>&1 & munge=$!
  for _ in $(seq 50); do munge -n >/dev/null 2>&1 && break; sleep 0.2; done
fi
slurmctld -D -c >/dev/null 2>&1 & pids+=($!)
for n in n1 n2; do slurmd -D -N "$n" >/dev/null 2>&1 & pids+=($!); done
for _ in $(seq 60); do [ "$(sinfo -h -t idle -o %D)" = 2 ] && break; sleep 1; done
[ "$(sinfo -h -t idle -o %D)" = 2 ] || { echo "Slurm does not start here"; exit 77; }

# Each capture counts several times, under names of its own.
head -c 100000 "$(find "$folder" -name client.pcap.zst | sort | head -n 1)" >"$dir/cut.pcap.zst"
echo notes >"$dir/text.pcap.zst"
: >"$dir/empty.pcap.zst"
runs=$dir/runs.csv
echo scenario,run,files >"$runs"
n=0
for bad in cut text empty; do
  n=$((n + 1))
  echo "bad,$n,$dir/$bad.pcap.zst" >>"$runs"
done
while [ "$n" -lt 60 ]; do
  for f in "$folder"/*/run*/client.pcap.zst; do
    n=$((n + 1))
    [ "$n" -gt 60 ] || echo "$(basename "$(dirname "$(dirname "$f")")"),$n,$f" >>"$runs"
  done
done
status=0
"$MPANALYZE" compare --no-cache --manifest "$runs" --json="$dir/one.json" >"$dir/one.txt" 2>"$dir/one.messages" || status=$?
[ "$status" -eq 2 ] || { echo "compare: exit status $status"; cat "$dir/one.messages"; exit 1; }

"$here/figures.sh" "$runs" "$dir/results" 6 --json="$dir/array.json"
for _ in $(seq 60); do [ "$(find "$dir/results" -name '*.json' 2>/dev/null | wc -l)" -gt 5 ] && break; sleep 0.2; done
# n2 dies: its slurmd, the slurmstepd processes of its jobs, and what those started.
jobs=$(squeue -h -t running -w n2 -o %A)
kill -9 "${pids[2]}"
for job in $jobs; do
  for step in $(pgrep -f "slurmstepd: \[$job\."); do pkill -9 -P "$step" || true; kill -9 "$step" || true; done
done
merge=$(squeue -h -t pending -n wrap -o %A)
until [ -z "$(squeue -h)" ]; do sleep 1; done
scontrol show job "$merge" | grep -q 'ExitCode=2:0' || { echo "the merge did not end with status 2:"; cat "$dir/results.messages.txt"; exit 1; }
cmp "$dir/one.txt" "$dir/results.txt"
cmp "$dir/one.json" "$dir/array.json"
[ "$("$MPANALYZE" figures --manifest "$runs" --out "$dir/results")" = "60 runs: 0 analysed, 60 done before, 3 skipped" ]
echo "the comparison of two nodes, one of them killed, is that of one process; nothing is analysed again"
