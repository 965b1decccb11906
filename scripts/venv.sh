#!/usr/bin/env bash
# Makes an environment of Python with the packages that scripts/python/NAME.txt names, by version and hash, or leaves
# the one that has them.
#
#   scripts/venv.sh DIR NAME
set -euo pipefail
dir=$1 lock=$(dirname "$0")/python/$2.txt

cmp -s "$lock" "$dir/lock.txt" && "$dir/bin/python" -c '' 2>/dev/null && exit
rm -rf "$dir"
python3 -m venv "$dir"
timeout 900 "$dir/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$lock"
cp "$lock" "$dir/lock.txt"
