#!/usr/bin/env bash
# Lets programs that read what the project writes check it: mandoc the man pages, actionlint the
# action as docs/testing.md uses it, promtool the file of "live --metrics-file", and xmllint
# the JUnit XML by the schema of Jenkins. What cannot be installed costs its check and not the rest;
# it is said.
#
#   scripts/readers.sh PROGRAM
set -euo pipefail
program=$(realpath "${1:?usage: scripts/readers.sh PROGRAM}")
cd "$(dirname "$0")/.."
root=$PWD
say() { printf 'readers: %s\n' "$*"; }
fail() { printf 'readers: %s\n' "$*" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capture=testdata/sessions/v1/l-single-loss/client.pcap.zst

if command -v mandoc >/dev/null; then
  CGO_ENABLED=0 go -C tools run ./gen-man "$work"
  mandoc -Tlint -W warning "$work"/*.1
  say "mandoc: $(ls "$work"/*.1 | wc -l) man pages"
else say "skipped: mandoc: it is not installed"; fi

actionlint=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
if said=$(GOBIN="$root/bin" CGO_ENABLED=0 timeout 600 go install "$actionlint" 2>&1); then
  mkdir -p "$work/project/.git" "$work/project/.github/workflows" "$work/project/packaging"
  cp -r packaging/action "$work/project/packaging/"
  { printf 'on: push\njobs:\n  judge:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n' &&
    sed -n '/^- uses: /,/^```/{/^```/d; s/^/      /p}' docs/testing.md; } >"$work/project/.github/workflows/judge.yml"
  grep -q 'captures: ' "$work/project/.github/workflows/judge.yml" || fail "docs/testing.md does not use the action"
  (cd "$work/project" && "$root/bin/actionlint")
  say "actionlint: the action as docs/testing.md uses it"
else say "skipped: actionlint: it cannot be installed: ${said##*$'\n'}"; fi

# The package of Debian would start a server; its file is enough.
promtool=$(command -v promtool || echo bin/promtool)
[ -x "$promtool" ] || (cd "$work" && apt-get download prometheus >/dev/null 2>&1 && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x -C "$root/bin" --strip-components=3 ./usr/bin/promtool) || true
if [ -x "$promtool" ]; then
  zstd -dcq "$capture" | "$program" live - --metrics-file "$work/live.prom" >"$work/live.txt"
  grep -q '^mpanalyze_path_bytes_total{' "$work/live.prom" || fail "live --metrics-file writes no path"
  "$promtool" check metrics <"$work/live.prom"
  say "promtool: $(grep -vc '^#' "$work/live.prom") metrics"
else say "skipped: promtool: it cannot be installed"; fi

# The source of pytest has the schema of Jenkins, by which it checks its own XML. The lock file has its sum.
schema=junit-10.xsd
if ! command -v xmllint >/dev/null; then say "skipped: the schema of Jenkins: xmllint is not installed"
elif ! said=$(sed -n '/^pytest==/,/^    #/p' scripts/python/tests.txt >"$work/pytest.txt" &&
  timeout 300 python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --require-hashes -d "$work" -r "$work/pytest.txt" 2>&1) ||
  ! tar -xzOf "$work"/pytest-*.tar.gz --wildcards "*/$schema" >"$work/$schema"; then
  say "skipped: the schema of Jenkins: the source of pytest cannot be had: ${said##*$'\n'}"
else
  for limit in 'bytes < 1GB' 'b2a.bytes > 1kB' 'owd > 1ms'; do
    "$program" analyze "$capture" --fail-on "$limit" --junit "$work/junit.xml" >"$work/said" 2>&1 || true
    xmllint --noout --schema "$work/$schema" "$work/junit.xml"
  done
  rm "$work/junit.xml"
  "$program" why --no-such-flag --junit "$work/junit.xml" "$capture" >"$work/said" 2>&1 || true
  xmllint --noout --schema "$work/$schema" "$work/junit.xml"
  say "xmllint: the JUnit XML is as $schema says"
fi
