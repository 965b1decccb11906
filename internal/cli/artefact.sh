#!/bin/sh
# Makes every file of this directory again from the captures and compares the bytes.
#
#   sh make-again.sh [DIR]
#
# The names in captures.sha256 count from DIR. Default: captures/ beside this script, else the
# current directory, else the directory above this one, where the first capture is. MPANALYZE
# names the program; default: mpanalyze in PATH. Status 0: all files are equal.
set -eu
fail() {
  echo "make-again: $*" >&2
  exit 1
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
version=@VERSION@
first=@FIRST@

program=${MPANALYZE:-mpanalyze}
case $program in
*/*) program=$(CDPATH='' cd -- "$(dirname -- "$program")" && pwd)/$(basename -- "$program") ;;
esac
said=$("$program" --version) || fail "cannot start $program; name mpanalyze $version in MPANALYZE"
case $said in
"mpanalyze $version ("*) ;;
*) fail "these files are of mpanalyze $version, and this is $said" ;;
esac

from=${1:-}
if [ -z "$from" ]; then
  for from in "$here/captures" . "$here/.." ''; do
    [ -z "$from" ] || [ ! -f "$from/$first" ] || break
  done
fi
case $first in
/*) from=. ;;
esac
[ -n "$from" ] || fail "no captures here; say where: sh make-again.sh DIR, in which there is $first"
cd -- "$from"

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
if command -v sha256sum >/dev/null; then
  sha256sum -c "$here/captures.sha256" >"$new/hashes" 2>&1 || { grep -v ': OK$' "$new/hashes" >&2; fail "captures are not those of captures.sha256"; }
else
  shasum -a 256 -c "$here/captures.sha256" >"$new/hashes" 2>&1 || { grep -v ': OK$' "$new/hashes" >&2; fail "captures are not those of captures.sha256"; }
fi

status=0
"$program" compare @ARGUMENTS@ --no-cache --artefact "$new/again" >/dev/null 2>"$new/messages" || status=$?
[ "$status" -eq @STATUS@ ] || { cat "$new/messages" >&2; fail "mpanalyze ended with status $status, want @STATUS@"; }
differs=0
for file in @FILES@; do
  cmp -s "$here/$file" "$new/again/$file" || { echo "make-again: $file differs" >&2; differs=1; }
done
[ "$differs" -eq 0 ] || exit 1
echo "make-again: all files are equal"
