#!/usr/bin/env bash
# Makes the wheel and the source distribution, installs the wheel into a fresh
# environment, and runs the package's tests there without Go in PATH, and mypy. A wheel
# from the source distribution must hold the same program. What cannot be installed
# costs its check and not the rest; it is said.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release.env
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "python: skipped: $*" >&2; exit 0; }
pip() { "$work/venv/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }

scripts/venv.sh "$work/hatch" hatchling || skip "all: an environment with hatchling cannot be made"
HATCH=$work/hatch/bin/hatchling scripts/wheel.sh

# program WHEEL OUT takes the program out of a wheel.
program() { python3 -c 'import sys, zipfile; open(sys.argv[2], "wb").write(zipfile.ZipFile(sys.argv[1]).read("mpanalyze/bin/mpanalyze"))' "$1" "$2"; }
scripts/static.sh "$work/static"
program dist/python/*.whl "$work/in-wheel"
mkdir "$work/sources" && tar xzf dist/python/*.tar.gz -C "$work/sources" --strip-components=1
(cd "$work/sources" && env -u VERSION "$work/hatch/bin/hatchling" build -t wheel -d "$work/again" >/dev/null)
program "$work"/again/*.whl "$work/from-sources"
cmp "$work/static" "$work/in-wheel"
cmp "$work/static" "$work/from-sources"
echo "python: the programs in the wheel, in one made of the source distribution, and in 'make dist' are equal"

scripts/venv.sh "$work/venv" tests || skip "tests: the packages of scripts/python/tests.txt cannot be installed"
pip install --no-deps dist/python/*.whl
pip check
here=$PWD
cd python
# No Go, and nothing of this repository but its captures and tests.
env -u MPANALYZE -u PYTHONPATH PATH=/usr/bin:/bin "$work/venv/bin/python" -m pytest -q -p no:cacheprovider tests
"$work/venv/bin/mypy" --cache-dir "$work/mypy" src/mpanalyze
cd "$here"
"$work/venv/bin/mpanalyze" --version
