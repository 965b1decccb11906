#!/usr/bin/env bash
# Builds the documentation site, bin/site/html/index.html. It needs Python and npm, and
# installs the generator and the one script that search needs to work from the disk.
set -euo pipefail
cd "$(dirname "$0")/.."

worker=iframe-worker@1.0.4
tools=bin/site-tools

for program in python3 npm; do
  command -v $program >/dev/null || { echo "site: $program is not installed; install it, or read docs/" >&2; exit 1; }
done
scripts/venv.sh "$tools" site
[ -e "$tools/node_modules/iframe-worker" ] || npm install --silent --no-audit --no-fund --prefix "$tools" "$worker" >/dev/null

rm -rf bin/site
python3 tools/gen-site/gen_site.py . bin/site bin/mpanalyze
install -D -m 644 "$tools/node_modules/iframe-worker/shim/index.js" bin/site/src/assets/iframe-worker.js
NO_MKDOCS_2_WARNING=1 "$tools/bin/python" -m mkdocs build --quiet --config-file bin/site/mkdocs.yml
scripts/check-site.sh bin/site/html
echo "bin/site/html/index.html"
