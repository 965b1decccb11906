#!/usr/bin/env bash
# The licence of each module in the program, as bin/licences.csv, and the known
# vulnerabilities that its code reaches. Fails for a module without a licence that
# tools/licences knows, and for a vulnerability. Where govulncheck cannot be
# installed, or its database cannot be reached, it says so and goes on.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED="${CGO_ENABLED:-$(cat bin/cgo 2>/dev/null || echo 0)}"

govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0
database=${GOVULNDB:-https://vuln.go.dev}
root=$PWD
mkdir -p bin

modules='{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}'
go -C tools build -o "$root/bin/licences" ./licences
{ go list -deps -f "$modules" ./cmd/mpanalyze; go -C cloud list -deps -f "$modules" .; } |
  bin/licences >bin/licences.csv
echo "audit: licences of $(cut -d, -f1 bin/licences.csv | sort -u | wc -l) modules are in bin/licences.csv"

if ! said=$(GOBIN="$root/bin" timeout 300 go install "$govulncheck" 2>&1); then
  echo "audit: skipped: known vulnerabilities: govulncheck cannot be installed: ${said##*$'\n'}"
  exit 0
fi
for dir in . cloud; do
  status=0
  said=$(timeout 300 bin/govulncheck -C "$dir" -db "$database" ./... 2>&1) || status=$?
  case $status in
  0) echo "audit: govulncheck ($dir): clean" ;;
  3) printf 'audit: govulncheck (%s):\n%s\n' "$dir" "$said"; exit 1 ;; # its status for vulnerabilities
  *) echo "audit: skipped: known vulnerabilities ($dir): ${said##*$'\n'}" ;;
  esac
done
