#!/bin/bash
# Runs figures.py on a real Spark, a master and two workers on this host. The first task says that it could not read a
# capture for now. The script kills one executor while that analyses a capture, and holds the comparison and the statistics of SQL against those of one process. Three captures are bad.
#   check.sh MPANALYZE FOLDER   where FOLDER has {scenario}/run{run}/client.pcap.zst; PYTHON has pyspark
# Exit status 77: Spark does not start here.
set -meuo pipefail # -m: each process that starts behind has a group of its own
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../task.sh"
program=$(realpath "$1") folder=$(realpath "$2") dir=$(mktemp -d) pids=()
export PYSPARK_PYTHON=${PYTHON:-python3} SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS=$dir/local SPARK_WORKER_DIR=$dir/workers
export PYTHONPATH=$here/../../python/src${PYTHONPATH:+:$PYTHONPATH}
home=$("$PYSPARK_PYTHON" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
# shellcheck disable=SC2154 # p is the loop's
trap 'for p in "${pids[@]}"; do kill -9 -- "-$p" 2>/dev/null || true; done; rm -rf "$dir"' EXIT
port=$("$PYSPARK_PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Each session counts several times, under names of its own.
runs=$dir/runs.csv
echo scenario,run,files >"$runs"
for copy in 1 2 3; do
  for f in "$folder"/*/run*/client.pcap.zst; do
    scenario=$(basename "$(dirname "$(dirname "$f")")") run=$copy-$(basename "$(dirname "$f")")
    cp "$f" "$dir/$scenario-$run.pcap.zst"
    echo "$scenario,$run,$scenario-$run.pcap.zst" >>"$runs"
  done
done
head -c 100000 "$f" >"$dir/cut.pcap.zst"
echo notes >"$dir/text.pcap.zst"
: >"$dir/empty.pcap.zst"
for bad in cut text empty; do echo "$scenario,$bad,$bad.pcap.zst" >>"$runs"; done
knows "$program"
"$program" compare --no-cache --manifest "$runs" --json="$dir/one.json" >"$dir/one.txt" 2>"$dir/one.messages" || [ $? -eq 2 ]

# The program as workers start it. The first task is to be started again. Once some results are there, one waits until it
# is killed.
cat >"$dir/mpanalyze" <<SH
#!/bin/sh
if [ "\$1" = $task ] && mkdir $dir/later 2>/dev/null; then exit $later; fi
if [ "\$1" = $task ] && [ "\$(find $dir/study/results -name '*.json' 2>/dev/null | wc -l)" -ge 4 ] && mkdir $dir/held 2>/dev/null; then
  echo \$\$ >$dir/waits
  exec sleep 600
fi
exec $program "\$@"
SH
chmod +x "$dir/mpanalyze"
export MPANALYZE=$dir/mpanalyze

# start NAME TEXT CLASS... starts a part of Spark and waits until its log has the text.
start() {
  local log=$dir/$1.log text=$2
  "$home/bin/spark-class" "${@:3}" >"$log" 2>&1 & pids+=($!)
  for _ in $(seq 120); do
    grep -q "$text" "$log" && return
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 1
  done
  echo "Spark does not start:"; tail -n 5 "$log"
  exit 77
}
start master 'I have been elected leader' org.apache.spark.deploy.master.Master --host 127.0.0.1 --port "$port" --webui-port 0
for n in 1 2; do
  start "worker$n" 'Successfully registered' org.apache.spark.deploy.worker.Worker --host 127.0.0.1 -c 1 -m 1g --webui-port 0 "spark://127.0.0.1:$port"
done
submit() { "$home/bin/spark-submit" --master "spark://127.0.0.1:$port" --conf spark.ui.enabled=false "$here/figures.py" "$runs" "$dir/study" "$@"; }
# analysed COUNTS what tasks have analysed since it was last asked.
analysed() { cat "$dir"/workers/app-*/*/stderr | sed -n 's/^mpanalyze: .*: \([0-9]*\) analysed,.*/\1/p' | awk '{n += $1} END {print n + 0}'; rm -rf "$dir"/workers/app-*; }

(status=0; submit --json="$dir/spark.json" >"$dir/spark.messages" 2>&1 || status=$?; echo "$status" >"$dir/status") & job=$! pids+=($!)
until [ -s "$dir/waits" ] || [ -e "$dir/status" ]; do sleep 0.5; done
[ -s "$dir/waits" ] || { echo "no task waits:"; tail -n 20 "$dir/spark.messages"; exit 1; }
executor=$(cat "$dir/waits")
until grep -qz CoarseGrainedExecutorBackend "/proc/$executor/cmdline"; do executor=$(awk '/^PPid:/ {print $2}' "/proc/$executor/status"); done
kill -9 "$executor"
wait "$job"
[ -d "$dir/later" ] || { echo "no task said that it could not read a capture"; exit 1; }
[ "$(cat "$dir/status")" = 2 ] || { echo "exit status $(cat "$dir/status"):"; tail -n 20 "$dir/spark.messages"; exit 1; }
cmp "$dir/one.txt" "$dir/study/comparison.txt"
cmp "$dir/one.json" "$dir/spark.json"
"$PYSPARK_PYTHON" "$here/check.py" "$dir/study" "$dir/one.json"
first=$(analysed)
[ "$first" = 15 ] || { echo "it analysed $first captures, not 15"; exit 1; }
status=0
submit >"$dir/spark.messages" 2>&1 & pids+=($!)
wait $! || status=$?
[ "$status" = 2 ] || { echo "started again, exit status $status:"; tail -n 20 "$dir/spark.messages"; exit 1; }
cmp "$dir/one.txt" "$dir/study/comparison.txt"
again=$(analysed)
[ "$again" = 0 ] || { echo "started again, it analysed $again captures"; exit 1; }
echo "the comparison of two executors, one of them killed, with a task that was started again, is that of one process; nothing is analysed again"
