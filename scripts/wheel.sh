#!/usr/bin/env bash
# Makes the Python package in dist/python: a wheel for each platform, with the program
# in it, and the source distribution. HATCH is the command hatchling; without it an
# environment with it is made in bin/hatch.
#
#   scripts/wheel.sh [OS/ARCH...]     default: this machine's
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release.env

if [ $# -gt 0 ]; then platforms=("$@"); else platforms=("$(go env GOOS)/$(go env GOARCH)"); fi
hatch=${HATCH:-}
if [ -z "$hatch" ]; then
  hatch=$PWD/bin/hatch/bin/hatchling
  scripts/venv.sh bin/hatch hatchling
fi
rm -rf dist/python
mkdir -p dist/python
out=$PWD/dist/python
cd python
for platform in "${platforms[@]}"; do
  GOOS=${platform%/*} GOARCH=${platform#*/} "$hatch" build -t wheel -d "$out"
done
"$hatch" build -t sdist -d "$out"
