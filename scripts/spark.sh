#!/usr/bin/env bash
# Runs scale/spark/check.sh on the Spark of PyPI, which is a large package without a wheel: it gets four minutes, and
# what pip builds of it stays in pip's cache. Says why where it does not run.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "spark: the job is not run: $*"; exit 0; }

command -v java >/dev/null || skip "no Java"
python3 -m venv bin/spark || skip "python3 cannot make environments (python3-venv)"
timeout 240 bin/spark/bin/pip install --quiet --disable-pip-version-check pyspark==4.3.0 pyarrow 'pandas<3' ||
  skip "pyspark cannot be had, or not in four minutes"
status=0
PYTHON=$PWD/bin/spark/bin/python timeout -k 20 240 scale/spark/check.sh bin/mpanalyze testdata/sessions/campaign || status=$?
case $status in
77) skip "it does not start on this machine" ;;
124 | 137) skip "this machine is too busy to end it in four minutes" ;;
esac
exit "$status"
