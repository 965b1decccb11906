#!/usr/bin/env bash
# Installs bin/mpanalyze, its man pages and what shells complete by, below
# DESTDIR/PREFIX. Where Go is in PATH they are made first; where it is not, as under
# sudo, what "make build man completions" left is taken.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${DESTDIR:-}${PREFIX:-/usr/local}

if command -v go >/dev/null; then
  "${MAKE:-make}" build man completions
else
  echo "install: no go in PATH, taking what 'make build man completions' left" >&2
fi
for made in bin/mpanalyze man/mpanalyze.1 completions/mpanalyze.bash; do
  [ -e "$made" ] || { echo "install: no $made: run 'make build man completions' as a user who has Go, then this again" >&2; exit 1; }
done

# put MODE DIR FILE [NAME]
put() { install -d "$to/$2" && install -m "$1" "$3" "$to/$2/${4:-${3##*/}}"; }
put 755 bin bin/mpanalyze
for page in man/*.1; do put 644 share/man/man1 "$page"; done
put 644 share/bash-completion/completions completions/mpanalyze.bash mpanalyze
put 644 share/zsh/site-functions completions/_mpanalyze
put 644 share/fish/vendor_completions.d completions/mpanalyze.fish
echo "install: $to/bin/mpanalyze, with man pages and completions for bash, zsh and fish"
