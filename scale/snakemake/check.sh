#!/bin/bash
# Runs the Snakefile on two local cores. One task is killed when half of its runs are done, another says twice that it
# could not read a capture for now, three captures are bad, and the comparison must be that of one process. A task that
# never can read a capture ends.
#   check.sh MPANALYZE FOLDER   where FOLDER has {scenario}/run{run}/client.pcap.zst; SNAKEMAKE is the command
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../task.sh"
program=$(realpath "$1") folder=$(realpath "$2") dir=$(mktemp -d)
export HOME=$dir # Snakemake keeps a cache there
trap 'rm -rf "$dir"' EXIT

# Each session counts several times, under names of its own.
runs=$dir/runs.csv
echo scenario,run,files >"$runs"
for copy in 1 2 3; do
  for f in "$folder"/*/run*/client.pcap.zst; do
    echo "$(basename "$(dirname "$(dirname "$f")")"),$copy-$(basename "$(dirname "$f")"),$f" >>"$runs"
  done
done
head -c 100000 "$f" >"$dir/cut.pcap.zst"
echo notes >"$dir/text.pcap.zst"
: >"$dir/empty.pcap.zst"
for bad in cut text empty; do echo "$(basename "$(dirname "$(dirname "$f")")"),$bad,$bad.pcap.zst" >>"$runs"; done
want=0
knows "$program"
"$program" compare --no-cache --manifest "$runs" --json="$dir/one.json" >"$dir/one.txt" 2>"$dir/one.messages" || want=$?

# The program as tasks start it: the second part dies once, when half of it is done, and the third is to be started again
# twice, or as long as the file "never" exists.
cat >"$dir/mpanalyze" <<SH
#!/bin/bash
if [[ " \$* " == *" --shard 2/4 "* ]] && mkdir $dir/died 2>/dev/null; then
  $program "\${@/#2\/4/2/8}" || true
  kill -9 \$\$
fi
if [[ " \$* " == *" --shard 3/4 "* ]]; then
  echo \$1 >>$dir/tries
  if [ -e $dir/never ] || [ "\$(grep -cx $task $dir/tries)" -le 2 ]; then exit $later; fi
fi
exec $program "\$@"
SH
chmod +x "$dir/mpanalyze"
run() {
  "${SNAKEMAKE:-snakemake}" --snakefile "$here/Snakefile" --directory "$dir" --cores 2 "$@" \
    --config manifest="$runs" study=study tasks=4 wait=1 program="$dir/mpanalyze" compare="--json=study/study.json" >"$dir/log" 2>&1
}
run || { cat "$dir/log"; exit 1; }
[ "$(wc -l <"$dir/tries")" -eq 3 ] || { echo "the third task was started $(wc -l <"$dir/tries") times, not 3"; exit 1; }
[ -d "$dir/died" ] || { echo "no task died"; exit 1; }
[ "$want $(cat "$dir/study/status.txt")" = "2 2" ] || { echo "exit status $want, of the tasks $(cat "$dir/study/status.txt"), not 2"; exit 1; }
cmp "$dir/one.txt" "$dir/study/comparison.txt"
cmp "$dir/one.json" "$dir/study/study.json"
cmp "$dir/one.messages" "$dir/study/messages.txt"
run --forceall || { cat "$dir/log"; exit 1; }
cat "$dir"/study/parts/*.log
[ "$(cat "$dir"/study/parts/*.log | grep -c ': 0 analysed, ')" = 4 ] || { echo "captures were analysed again"; exit 1; }
cmp "$dir/one.txt" "$dir/study/comparison.txt"
rm "$dir/tries" && touch "$dir/never"
! run --forceall || { echo "a task that cannot read a capture is a success"; exit 1; }
[ "$(wc -l <"$dir/tries")" -eq 4 ] || { echo "a task that cannot read a capture was started $(wc -l <"$dir/tries") times, not 4"; exit 1; }
echo "the comparison of four tasks, one of them killed and one started again, is that of one process; nothing is analysed again"
