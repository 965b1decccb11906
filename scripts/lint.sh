#!/usr/bin/env bash
# gofmt, gofumpt, go vet and staticcheck over all modules of the repository, shellcheck over all scripts, actionlint over the workflow.
# Prints what they found and fails if there was anything.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
export CGO_ENABLED="${CGO_ENABLED:-$(cat bin/cgo 2>/dev/null || echo 0)}"

failed=0
# check NAME COMMAND... fails where the command fails or prints anything. That a
# module is downloaded, as the first time on a machine, is no finding.
check() {
  local name=$1 said
  shift
  if ! said=$("$@" 2>&1 | sed '/^go: downloading /d') || [ -n "$said" ]; then
    printf 'lint: %s:\n%s\n' "$name" "$said" >&2
    failed=1
  fi
}
root=$PWD
in_module() { (cd "$1" && "${@:2}"); }
mkdir -p bin
go -C tools build -o "$root/bin/" honnef.co/go/tools/cmd/staticcheck mvdan.cc/gofumpt || exit 1

# As the tests do, so that packages are compiled once for both.
export GOFLAGS="${GOFLAGS:-} -pgo=off"
check gofmt gofmt -l cmd internal tools cloud
check gofumpt bin/gofumpt -l cmd internal tools cloud
for module in . tools cloud; do
  said=$(go -C $module mod download 2>&1) || { echo "lint: skipped: $module: ${said##*$'\n'}"; continue; }
  check "go vet ($module)" go -C $module vet ./...
  check "staticcheck ($module)" in_module $module "$root/bin/staticcheck" ./...
done
for f in scripts/*.sh scale/*.sh scale/*/*.sh .ci/run; do check "shell syntax of $f" bash -n "$f"; done
if command -v actionlint >/dev/null; then
  check actionlint actionlint .github/workflows/*.yml
else
  echo "lint: skipped: actionlint: it is not installed (go install github.com/rhysd/actionlint/cmd/actionlint@latest)"
fi
if command -v shellcheck >/dev/null; then
  mapfile -t scripts < <(git ls-files '*.sh' .ci/run 2>/dev/null | grep -v '^internal/cli/') # the program fills those in
  [ ${#scripts[@]} -eq 0 ] || check shellcheck shellcheck -x -P SCRIPTDIR -S warning "${scripts[@]}"
else echo "lint: skipped: shellcheck: it is not installed"; fi
[ $failed -eq 0 ] && echo "lint: clean"
exit $failed
