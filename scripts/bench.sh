#!/usr/bin/env bash
# Go benchmarks, then mpanalyze beside tcpdump and its relatives on a generated
# capture, as ratios: runs interleaved, the median of the ratios. Last the
# memory on a capture four times as long, which must not be larger.
#
#   PACKETS=2000000 ROUNDS=7 scripts/bench.sh
#   TSHARK=1        tshark too, once: it takes minutes
#   GOBENCH=no      without the Go benchmarks
#   BENCH_DIR=DIR   where the capture is kept (default bin/bench, 125 B a packet)
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
capture=$dir/load-$packets.pcap
# A changed generator makes a new capture.
if [ ! -e "$capture" ] || [ bin/tracegen -nt "$capture" ]; then
  say "generating $packets packets"
  bin/tracegen -packets "$packets" "$capture.part"
  mv "$capture.part" "$capture"
fi
cat "$capture" >/dev/null # into the page cache

say "$packets packets, $rounds rounds, ratios to the first line"
commands=()
if have tcpdump; then
  commands+=("tcpdump=tcpdump -r '$capture' -w /dev/null")
else
  echo "tcpdump is not installed: ratios are to mpanalyze itself"
fi
commands+=("mpanalyze=$mpanalyze analyze --json '$capture'")
if have tcptrace; then commands+=("tcptrace=tcptrace -n '$capture'"); fi
bin/ratio -rounds "$rounds" "${commands[@]}"
echo "asked of mpanalyze: CPU at most 2.2, wall at most 1.5 (two cores), memory below 64 MiB"

if [ "${TSHARK:-0}" = 1 ] && have tshark && have tcpdump; then
  say "tshark, one round"
  bin/ratio -rounds 1 "tcpdump=tcpdump -r '$capture' -w /dev/null" \
    "tshark=tshark -r '$capture' -T fields -e tcp.options.mptcp.subtype -e tcp.options.mptcp.rawdataseqno"
fi

say "memory on $((4 * packets)) packets through a pipe"
bin/tracegen -packets $((4 * packets)) - | bin/ratio -rounds 1 "mpanalyze=$mpanalyze analyze --json -"
