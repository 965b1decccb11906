# shellcheck shell=bash
# Sourced by .ci/run and scripts/release-check.sh. It runs steps, shows how long each took,
# and ends with a table. A step that fails does not keep the next ones from running.
#
#   step NAME COMMAND...   runs a command or a function under "set -euo pipefail". It has
#                          passed if the status is 0, is skipped if it is 77, else has failed.
#   skip WHY               ends a step that cannot run on this machine
#   finish NAME            prints the table and a last line, and ends with status 1 if a step
#                          failed
#
# A program that leaves out a part of a step prints "PROGRAM: skipped: WHAT: WHY" on a line
# of its own. The table shows these lines, so that nobody takes a part for the whole.
export MPLCONFIGDIR=$PWD/bin/matplotlib
steps_log=$(mktemp -d)
trap 'rm -rf "$steps_log"' EXIT
steps_passed=0 steps_failed=() steps_skipped=()

skip() { echo "step: skipped: $*"; exit 77; }

step() {
  local name=$1 start=$SECONDS status result why
  shift
  printf '\n== %s\n' "$name"
  # Not in a condition: bash would ignore errexit in there.
  set +e
  (set -euo pipefail && "$@") 2>&1 | tee "$steps_log/out"
  status=${PIPESTATUS[0]}
  set -e
  why=$(sed -n 's/^[a-z-]*: skipped: //p' "$steps_log/out")
  [ -n "$why" ] || [ "$status" -ne 77 ] || why=$(tail -n 1 "$steps_log/out")
  case $status in
  0) result=passed steps_passed=$((steps_passed + 1)) ;;
  77) result=skipped ;;
  *) result="failed, status $status" steps_failed+=("$name") ;;
  esac
  [ -z "$why" ] && [ "$status" -ne 77 ] || steps_skipped+=("$name (${why//$'\n'/; })")
  printf '== %s: %s after %d s\n' "$name" "$result" $((SECONDS - start))
  printf '%-16s %6d  %s\n' "$name" $((SECONDS - start)) "$result" >>"$steps_log/table"
  [ -z "$why" ] || sed 's/^/                         skipped: /' <<<"$why" >>"$steps_log/table"
}

finish() {
  local join
  join=nothing
  [ ${#steps_skipped[@]} -eq 0 ] || { join=$(printf ', %s' "${steps_skipped[@]}") && join=${join#, }; }
  printf '\n%-16s %6s  %s\n' step seconds result
  cat "$steps_log/table"
  printf '%-16s %6d\n\n' together "$SECONDS"
  [ ${#steps_failed[@]} -eq 0 ] || echo "$1: failed: ${steps_failed[*]}"
  echo "$1: $steps_passed steps passed, ${#steps_failed[@]} failed; skipped, or in part: $join"
  [ ${#steps_failed[@]} -eq 0 ]
}

# packages NAME... installs packages of Debian: as root, or through sudo where it asks no
# password. It fails where they cannot be had.
packages() {
  local as=()
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" -eq 0 ] || as=(sudo -n)
  local get=(${as[@]+"${as[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
  "${get[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
    { "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "$@"; } >/dev/null 2>&1
}

# wanted NAME PACKAGE... installs packages that some tests need; the tests skip without them.
wanted() { packages "${@:2}" || echo "apt: skipped: $1: cannot be installed"; }

# modules are Python's modules that examples of the documents import, and what runs the notebook.
# They are those of scripts/python/modules.txt, whatever this machine has. Matplotlib looks for fonts here and not in a
# test, because the first time takes seconds and writes a line.
modules() {
  python3 -m pip --version >/dev/null 2>&1 || packages python3-pip || true
  local have
  have=$(python3 -V && cat scripts/python/modules.txt) || true # pip says what is missing
  if [ "$have" != "$(cat bin/python/lock.txt 2>/dev/null)" ]; then
    rm -rf bin/python
    timeout 900 python3 -m pip install --quiet --disable-pip-version-check --target bin/python --require-hashes -r scripts/python/modules.txt ||
      { echo "pip: skipped: DuckDB, pandas, what the notebook needs: cannot be installed"; return; }
    echo "$have" >bin/python/lock.txt
  fi
  mkdir -p "$MPLCONFIGDIR"
  PYTHONPATH=bin/python python3 -c 'import matplotlib.font_manager'
}
