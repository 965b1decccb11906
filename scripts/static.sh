#!/usr/bin/env bash
# Builds the static program for GOOS and GOARCH (default: this machine's) as the file
# named by the first argument. Equal sources make equal files: nothing of the place, the
# time or the machine is in them. VERSION says what it calls itself.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: scripts/static.sh FILE}
case $out in /*) ;; *) echo "static: $out: want an absolute path" >&2; exit 1 ;; esac
CGO_ENABLED=0 GOFLAGS='' go build -trimpath -buildvcs=false \
  -ldflags "-s -w -buildid= -X main.version=${VERSION:-$(scripts/version.sh)}" -o "$out" ./cmd/mpanalyze
