#!/usr/bin/env bash
# Writes the files with which shells complete command lines of mpanalyze into DIR.
#
#   scripts/completions.sh DIR
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go -C "$(dirname "$0")/.." build -pgo=off -o "$work/mpanalyze" ./cmd/mpanalyze
for file in bash:mpanalyze.bash zsh:_mpanalyze fish:mpanalyze.fish powershell:mpanalyze.ps1; do
  "$work/mpanalyze" completion "${file%%:*}" >"$1/${file#*:}"
done
