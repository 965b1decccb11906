#!/usr/bin/env bash
# check-site.sh DIR: the site in DIR loads nothing from the network, has its search index, and
# finds words when it is opened from the disk.
set -euo pipefail
dir=$(cd "$1" && pwd)
fail() { echo "check-site: $*" >&2; exit 1; }

[ -s "$dir/search/search_index.js" ] || fail "no search index"
for word in hol_degree srtt_ms_ MP_TCPRST path_died; do
  grep -q "$word" "$dir/search/search_index.js" || fail "the search index lacks $word"
done
if grep -rhoE '<(script|link|img|iframe)[^>]+(src|href)="?https?://[^" >]+' "$dir" --include='*.html' | grep -v 'rel="canonical"'; then
  fail "a page loads something from the network"
fi
[ -s "$dir/assets/iframe-worker.js" ] || fail "no script that lets search work from the disk"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "check-site: skipped: search from the disk: chromium is not installed"
  exit 0
fi
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
for page in index.html commands/plot.html; do
  # The second try is for a machine that is busy with other work.
  for seconds in 10 60; do
    found=$(timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$profile" --virtual-time-budget=${seconds}000 \
      --dump-dom "file://$dir/$page?q=path_died" 2>/dev/null | grep -c 'class="md-search-result__link"' || true)
    [ "$found" -gt 0 ] && break
  done
  [ "$found" -gt 0 ] || fail "$page: a search for path_died from the disk finds nothing"
done
echo "check-site: search works from the disk"
