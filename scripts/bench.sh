#!/usr/bin/env bash
# Go benchmarks, then mpanalyze beside tcpdump and its relatives on a generated
# capture, as ratios: runs interleaved in changing order, the median of the ratios;
# of mpanalyze with all metrics and with the basic ones. Then the same with every
# table written, two captures of one session beside each alone, and the memory on a
# capture four times as long, which must not be larger.
#
#   PACKETS=2000000 ROUNDS=7 scripts/bench.sh
#   TSHARK=1        tshark too, once: it takes minutes
#   GOBENCH=no      without the Go benchmarks
#   BENCH_DIR=DIR   where captures and tables are kept (default bin/bench): 800 octets
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

if [ "${GOBENCH:-yes}" = yes ]; then
  say "Go benchmarks (times are this machine's; allocations are the claim)"
  # shellcheck disable=SC2046 # one word per package
  go test -run '^$' -bench . -benchmem -benchtime 300ms \
    $(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -rn1 dirname | sort -u) |
    { grep -E '^(Benchmark|FAIL|---)' || true; }
fi

mkdir -p "$dir"
go build -o bin/tracegen ./internal/tracegen/cmd/tracegen
go -C tools build -o ../bin/ratio ./ratio
# generate N CAPTURE [SERVER]: a changed generator makes new captures.
generate() {
  local made=$2
  if [ -e "$made" ] && [ bin/tracegen -ot "$made" ]; then return; fi
  say "generating $1 packets${3:+, as both hosts see them}"
  bin/tracegen -packets "$1" ${3:+-server "$3"} "$made.part"
  mv "$made.part" "$made"
}
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
commands+=("basic=$mpanalyze analyze --json --metrics basic '$capture'")
if have tcptrace; then commands+=("tcptrace=tcptrace -n '$capture'"); fi
bin/ratio -rounds "$rounds" "${commands[@]}"
echo "targets: CPU 3, wall 2 (two cores), memory 64 MiB; basic: CPU 2.2, wall 1.5"

say "with every series, chunk and mapping in tables"
tables=$dir/tables
if have tcpdump; then
  bin/ratio -rounds "$rounds" -fresh "$tables" "${commands[0]}" \
    "mpanalyze=$mpanalyze analyze --json --csv '$tables' '$capture'"
  echo "target: CPU 7"
  rm -rf "$tables"
fi

client=$dir/client-$((packets / 2)).pcap
server=$dir/server-$((packets / 2)).pcap
generate "$((packets / 2))" "$client" "$server"
say "two captures of one session as one, ratios to the sum of both alone"
bin/ratio -rounds "$((rounds / 2 + 1))" \
  "alone=sh -c \"'$mpanalyze' analyze --json '$client' && '$mpanalyze' analyze --json '$server'\"" \
  "pair=$mpanalyze pair --json '$client' '$server'"
echo "target: CPU 1.3"

say "the same of the bundled real sessions, all together"
alone=true pair=true
for one in testdata/sessions/v[01]/*/client.pcap*; do
  other=$(echo "${one%/*}"/server.pcap*)
  [ -e "$other" ] || continue
  alone+=" && '$mpanalyze' analyze --json '$one' && '$mpanalyze' analyze --json '$other'"
  pair+=" && '$mpanalyze' pair --json '$one' '$other'"
done
bin/ratio -rounds "$rounds" "alone=sh -c \"$alone\"" "pair=sh -c \"$pair\""
echo "target: CPU 1.3"

if [ "${TSHARK:-0}" = 1 ] && have tshark && have tcpdump; then
  say "tshark, one round"
  bin/ratio -rounds 1 "tcpdump=tcpdump -r '$capture' -w /dev/null" \
    "tshark=tshark -r '$capture' -T fields -e tcp.options.mptcp.subtype -e tcp.options.mptcp.rawdataseqno"
fi

say "memory on $((4 * packets)) packets through a pipe"
bin/tracegen -packets $((4 * packets)) - | bin/ratio -rounds 1 "mpanalyze=$mpanalyze analyze --json -"
