#!/usr/bin/env bash
# Writes scripts/python/NAME.txt anew from NAME.in: each package with its version and the hashes of all its files, for
# Python 3.11 and newer on every platform. It needs uv (pip install uv).
set -euo pipefail
cd "$(dirname "$0")/python"

for wanted in *.in; do
  uv pip compile --quiet --upgrade --universal --generate-hashes --no-header --python-version 3.11 "$wanted" -o "${wanted%.in}.txt"
done
