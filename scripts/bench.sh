#!/usr/bin/env bash
# Go benchmarks, then mpanalyze beside tcpdump and its relatives on a generated
# capture, as ratios: runs interleaved in changing order, the median of the ratios;
# of mpanalyze with all metrics and with the basic ones. Then the same with every
# table written, two captures of one session beside each alone, and the memory on a
# capture four times as long, which must not be larger. Last, how both grow with the
# traffic: a table of captures of many kinds, of two sizes each. It needs Python 3.9.
#
#   PACKETS=2000000 ROUNDS=7 scripts/bench.sh
#   TSHARK=1        tshark too, once: it takes minutes
#   GOBENCH=no      without the Go benchmarks
#   ONLY=growth     nothing but the table of growth
#   BENCH_DIR=DIR   where captures and tables are kept (default bin/bench): 800 bytes
#                   a packet, of which 300 stay
set -euo pipefail
cd "$(dirname "$0")/.."
CGO_ENABLED=${CGO_ENABLED:-$(cat bin/cgo 2>/dev/null || echo 0)}
export CGO_ENABLED

packets=${PACKETS:-2000000}
rounds=${ROUNDS:-7}
dir=${BENCH_DIR:-bin/bench}
mpanalyze=${MPANALYZE:-bin/mpanalyze}

say() { printf '\n== %s\n' "$*"; }
have() { command -v "$1" >/dev/null; }

if [ "${GOBENCH:-yes}" = yes ] && [ "${ONLY:-}" != growth ]; then
  say "Go benchmarks (times are this machine's; allocations are the claim)"
  # shellcheck disable=SC2046 # one word per package
  go test -run '^$' -bench . -benchmem -benchtime 300ms \
    $(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -rn1 dirname | sort -u) |
    { grep -E '^(Benchmark|FAIL|---)' || true; }
fi

mkdir -p "$dir"
go build -o bin/tracegen ./internal/tracegen/cmd/tracegen
# generate N CAPTURE [SERVER]: a changed generator makes new captures.
generate() {
  local made=$2
  if [ -e "$made" ] && [ bin/tracegen -ot "$made" ]; then return; fi
  say "generating $1 packets${3:+, as both hosts see them}"
  bin/tracegen -packets "$1" ${3:+-server "$3"} "$made.part"
  mv "$made.part" "$made"
}

# grown NAME SIZE FLAGS...: a row of the table for a capture that tracegen writes.
grown() {
  local file=$dir/growth.pcap
  bin/tracegen "${@:3}" "$file"
  cat "$file" >/dev/null
  scripts/ratio.py --rounds "$rounds" "tcpdump=tcpdump -r '$file' -w /dev/null" "mpanalyze=$mpanalyze analyze --json '$file'" |
    awk -v name="$1" -v size="$2" '$1 == "mpanalyze" { printf "%-44s %9d %8s %8s %10s MiB\n", name, size, $2, $4, $6 }'
  rm -f "$file"
}

growth() {
  local n
  say "growth: CPU and wall time as ratios to tcpdump, and memory; none should grow with the size"
  printf '%-44s %9s %8s %8s %14s\n' "" size CPU wall "peak memory"
  for n in 250000 1000000; do grown "one long connection" $n -long 1 -short 0 -packets $n; done
  for n in 250000 1000000; do grown "100 connections at once, packets" $n -long 100 -short 0 -packets $n; done
  for n in 250000 1000000; do grown "1,000 connections at once, packets" $n -long 1000 -short 0 -packets $n; done
  for n in 5000 20000; do grown "short connections" $n -long 0 -short $n -packets $((30 * n)); done
  for n in 250000 1000000; do grown "a path 400 ms slower: holes, packets" $n -long 1 -short 0 -delay 410ms -packets $n; done
  for n in 250000 1000000; do grown "one interface of two, packets of both" $n -long 2 -short 0 -only 1 -packets $n; done
  for n in 100000 400000; do
    for attack in "SYNs of plain TCP" "SYNs with MP_CAPABLE" "holes in the data, downwards" "holes in the data, anywhere"; do
      grown "$attack" $n -attack "$attack" -packets $n
    done
  done
}

if [ "${ONLY:-}" = growth ]; then
  growth
  exit
fi
capture=$dir/load-$packets.pcap
generate "$packets" "$capture"
cat "$capture" >/dev/null # into the page cache

say "$packets packets, $rounds rounds, ratios to the first line"
commands=()
if have tcpdump; then
  commands+=("tcpdump=tcpdump -r '$capture' -w /dev/null")
else
  echo "tcpdump is not installed: ratios are to mpanalyze itself"
fi
commands+=("mpanalyze=$mpanalyze analyze --json '$capture'")
commands+=("basic=$mpanalyze analyze --json --metric basic '$capture'")
if have tcptrace; then commands+=("tcptrace=tcptrace -n '$capture'"); fi
scripts/ratio.py --rounds "$rounds" "${commands[@]}"
echo "targets: CPU 3, wall 2 (two cores), memory 64 MiB; basic: CPU 2.2, wall 1.5"

say "with every series, chunk and mapping in tables"
tables=$dir/tables
if have tcpdump; then
  scripts/ratio.py --rounds "$rounds" --fresh "$tables" "${commands[0]}" \
    "mpanalyze=$mpanalyze analyze --json --csv '$tables' '$capture'"
  echo "target: CPU 7"
  rm -rf "$tables"
fi

client=$dir/client-$((packets / 2)).pcap
server=$dir/server-$((packets / 2)).pcap
generate "$((packets / 2))" "$client" "$server"
say "two captures of one session as one, ratios to the sum of both alone"
scripts/ratio.py --rounds "$((rounds / 2 + 1))" \
  "alone=sh -c \"'$mpanalyze' analyze --json '$client' && '$mpanalyze' analyze --json '$server'\"" \
  "pair=$mpanalyze analyze --both --json '$client' '$server'"
echo "target: CPU 1.3"

say "the same of the bundled real sessions, all together"
alone=true pair=true
for one in testdata/sessions/v[01]/*/client.pcap*; do
  other=$(echo "${one%/*}"/server.pcap*)
  [ -e "$other" ] || continue
  alone+=" && '$mpanalyze' analyze --json '$one' && '$mpanalyze' analyze --json '$other'"
  pair+=" && '$mpanalyze' analyze --both --json '$one' '$other'"
done
scripts/ratio.py --rounds "$rounds" "alone=sh -c \"$alone\"" "pair=sh -c \"$pair\""
echo "target: CPU 1.3"

if [ "${TSHARK:-0}" = 1 ] && have tshark && have tcpdump; then
  say "tshark, one round"
  scripts/ratio.py --rounds 1 "tcpdump=tcpdump -r '$capture' -w /dev/null" \
    "tshark=tshark -r '$capture' -T fields -e tcp.options.mptcp.subtype -e tcp.options.mptcp.rawdataseqno"
fi

say "memory on $((4 * packets)) packets through a pipe"
bin/tracegen -packets $((4 * packets)) - | scripts/ratio.py --rounds 1 "mpanalyze=$mpanalyze analyze --json -"

if have tcpdump; then growth; fi
