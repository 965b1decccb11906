#!/bin/bash
# Runs figures.sh on a real Slurm of two nodes on this host. The first task says that it could not read a capture for now,
# and is queued again. Another task of the array job waits with its work undone. The script kills that task and all
# processes of its node, and sees that Slurm queues it again. It then holds the comparison against that of one process.
# Three captures are bad. Several copies of this script can run at the same time.
#   check.sh MPANALYZE FOLDER   where FOLDER has {scenario}/run{run}/client.pcap.zst
# Needs root, python3 and the Debian packages slurmctld, slurmd, slurm-client and munge.
# Exit status 77: Slurm does not start here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../task.sh"
folder=$(realpath "$2") dir=$(mktemp -d) host=$(hostname -s)
export MPANALYZE=$dir/mpanalyze SLURM_CONF=$dir/slurm.conf
daemons=()      # munged and slurmctld
declare -A node # the slurmd of each node
chmod 755 "$dir"
program=$dir/program # a copy: a build in the meantime changes nothing here

# fail TEXT FILE... ends the script with a message and the ends of files.
fail() {
  echo "$1"
  [ $# -eq 1 ] || tail -n 20 "${@:2}" || true
  exit 1
}

# wait_for SECONDS COMMAND... waits until a command succeeds, and fails if it never does.
wait_for() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.5
  done
}

# alive PID says whether a process exists; one that only awaits its parent does not.
alive() { grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null; }
dead() { ! alive "$1"; }

# processes NODE lists what runs on a node of this Slurm: each slurmstepd, then what it started. Slurm itself names the
# latter; a slurmstepd is the parent of one of them, as it leaves its own parent, slurmd.
processes() {
  local below pid parent
  below=$(scontrol listpids '*' "$1" 2>/dev/null | awk '$1 + 0 > 1 {print $1}') || true
  for pid in $below; do
    parent=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status" 2>/dev/null) || continue
    if [ "$(cat "/proc/$parent/comm" 2>/dev/null)" = slurmstepd ]; then echo "$parent"; fi
  done | sort -un
  [ -z "$below" ] || echo "$below"
}

# kill_node NODE kills slurmd, so that nothing new starts, then all that runs on the node at once.
kill_node() {
  local list
  kill -9 "${node[$1]}" 2>/dev/null || true
  wait "${node[$1]}" 2>/dev/null || true
  mapfile -t list < <(processes "$1")
  [ ${#list[@]} -eq 0 ] || kill -9 "${list[@]}" 2>/dev/null || true
}

# clean_up ends all that this script started.
clean_up() {
  local n
  for n in "${!node[@]}"; do kill_node "$n"; done
  [ ${#daemons[@]} -eq 0 ] || kill -9 "${daemons[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$dir"
}
trap clean_up EXIT
cp "$1" "$program"

# configure writes slurm.conf. The ports are free ones; all are bound at the same time, so that they differ.
configure() {
  local ports
  read -ra ports < <(python3 -c 'import socket
s = [socket.create_server(("", 0)) for _ in range(3)]
print(*(x.getsockname()[1] for x in s))') || true
  [ ${#ports[@]} -eq 3 ] || fail "python3 finds no three free ports"
  cat >"$SLURM_CONF" <<CONF
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket,cred_expire=20
CryptoType=crypto/munge
SlurmctldPort=${ports[0]}
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
SchedulerParameters=sched_interval=5
MpiDefault=none
ReturnToService=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=1
PartitionName=check Nodes=n1,n2 Default=YES State=UP
CONF
}

# start_slurm starts a munged, a slurmctld and two slurmd, all with files in $dir only.
start_slurm() {
  local n
  mkdir "$dir/state" "$dir/n1" "$dir/n2"
  (umask 077; head -c 128 /dev/urandom >"$dir/munge.key")
  munged --foreground --socket="$dir/munge.socket" --key-file="$dir/munge.key" --pid-file="$dir/munge.pid" \
    --seed-file="$dir/munge.seed" --log-file="$dir/munge.log" >"$dir/munged.log" 2>&1 & daemons+=($!)
  wait_for 10 munge -S "$dir/munge.socket" -n >/dev/null 2>&1 || return 1
  slurmctld -D -c >/dev/null 2>&1 & daemons+=($!)
  for n in n1 n2; do slurmd -D -N "$n" >/dev/null 2>&1 & node[$n]=$!; done
  wait_for 60 both_idle
}
both_idle() { [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }

# list_runs writes a manifest of 60 captures, three of them bad. Each capture counts several times, under names of its own.
list_runs() {
  local f n=3
  head -c 100000 "$(find "$folder" -name client.pcap.zst | sort | sed -n 1p)" >"$dir/cut.pcap.zst"
  echo notes >"$dir/text.pcap.zst"
  : >"$dir/empty.pcap.zst"
  printf '%s\n' scenario,run,files "bad,1,$dir/cut.pcap.zst" "bad,2,$dir/text.pcap.zst" "bad,3,$dir/empty.pcap.zst"
  while [ "$n" -lt 60 ]; do
    for f in "$folder"/*/run*/client.pcap.zst; do
      n=$((n + 1))
      [ "$n" -gt 60 ] || echo "$(basename "$(dirname "$(dirname "$f")")"),$n,$f"
    done
  done
}

# write_program writes the program as tasks start it. The first task is to be started again. Once some results are there,
# one that was not waits until it is killed.
write_program() {
  cat >"$MPANALYZE" <<SH
#!/bin/sh
if [ "\$1" = $task ] && mkdir '$dir/later' 2>/dev/null; then
  echo "\$SLURM_JOB_ID" >'$dir/later/job'
  exit $later
fi
if [ "\$1" = $task ] && [ "\${SLURM_RESTART_COUNT:-0}" = 0 ] && [ "\$(find '$dir/results' -name '*.json' 2>/dev/null | wc -l)" -gt 5 ] && mkdir '$dir/held' 2>/dev/null; then
  echo "\$\$ \$SLURM_JOB_ID \$SLURMD_NODENAME" >'$dir/held/new'
  mv '$dir/held/new' '$dir/held/task'
  exec sleep 600
fi
exec '$program' "\$@"
SH
  chmod +x "$MPANALYZE"
}

# Conditions to wait for.
queue_empty() { local queue; queue=$(squeue -h 2>/dev/null) && [ -z "$queue" ]; }
held_or_over() { [ -e "$dir/held/task" ] || queue_empty; }
queued_again() { scontrol show job "$1" 2>/dev/null | grep -q ' Restarts=[1-9]'; }

# kill_held_task kills the task that waits, with its node, and fails unless it lived, died and is queued again.
kill_held_task() {
  local task job name
  wait_for 120 held_or_over || true
  [ -e "$dir/held/task" ] || fail "no task waits, so none can be killed:" "$dir"/results.log/*
  read -r task job name <"$dir/held/task"
  alive "$task" || fail "the task that waits, process $task, does not exist"
  [ -n "${node[$name]-}" ] || fail "the task waits on node '$name', which this script did not start"
  processes "$name" | grep -x "$task" >/dev/null || fail "process $task is not one of node $name"
  ! queued_again "$job" || fail "job $job is queued again before its node is killed"
  kill_node "$name"
  wait_for 10 dead "$task" || fail "process $task, the task that waits, was not killed"
  dead "${node[$name]}" || fail "the slurmd of node $name was not killed"
  wait_for 120 queued_again "$job" || fail "job $job, whose node was killed, is not queued again:" "$dir/slurmctld.log"
  echo "killed node $name with process $task; job $job is queued again"
}

# tries_again RESTARTS says whether figures.sh has a task queued again that could not read a capture and was queued again
# so many times before.
tries_again() {
  local status=0
  rm -f "$dir/asked"
  (srun() { return "$later"; }; scontrol() { echo "$*" >"$dir/asked"; }; export -f srun scontrol; export later dir
    SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=7 SLURM_RESTART_COUNT=$1 "$here/figures.sh" runs.csv results 6) || status=$?
  [ "$status" -eq "$later" ] || fail "a task that could not read a capture has exit status $status"
  [ "$(cat "$dir/asked" 2>/dev/null)" = "requeue 7" ]
}

knows "$program"
tries_again 0 && tries_again 2 || fail "a task that could not read a capture is not queued again"
! tries_again 3 || fail "a task that cannot read a capture is queued again without end"
configure
start_slurm || { echo "Slurm does not start here"; exit 77; }
runs=$dir/runs.csv status=0
list_runs >"$runs"
write_program
"$program" compare --no-cache --manifest "$runs" --json="$dir/one.json" >"$dir/one.txt" 2>"$dir/one.messages" || status=$?
[ "$status" -eq 2 ] || fail "compare: exit status $status" "$dir/one.messages"

submitted=$("$here/figures.sh" "$runs" "$dir/results" 6 --json="$dir/array.json")
merge=$(sed -n 's/.*, merge \([0-9]*\):.*/\1/p' <<<"$submitted")
[ -n "$merge" ] || fail "figures.sh names no merge: $submitted"
kill_held_task
wait_for 240 queue_empty || fail "the jobs do not end:" "$dir/slurmctld.log"
scontrol show job "$merge" | grep 'ExitCode=2:0' >/dev/null || fail "the merge did not end with status 2:" "$dir/results.messages.txt"
[ -s "$dir/later/job" ] || fail "no task said that it could not read a capture"
cmp "$dir/one.txt" "$dir/results.txt"
cmp "$dir/one.json" "$dir/array.json"
again=$("$program" task --manifest "$runs" --output "$dir/results") || [ $? -eq 2 ]
[ "$again" = "60 runs: 0 analysed, 60 done before, 3 skipped" ] || fail "run again: $again"
echo "the comparison of two nodes, one of them killed, with a task that was started again, is that of one process; nothing is analysed again"
