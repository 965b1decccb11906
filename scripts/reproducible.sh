#!/usr/bin/env bash
# Makes dist in two clones of this repository at different places, the second with an
# empty build cache, and compares the SHA-256 of everything made. What is not committed
# is not in a clone. Leaves the first one's files in dist/.
#
#   scripts/reproducible.sh [OS/ARCH...]      default: every platform; OWN=OS/ARCH... is
#                                             what the second clone builds, default the same
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
root=$PWD
read -ra own <<<"${OWN:-$*}"

git clone -q . "$work/one"
git clone -q . "$work/elsewhere/in/a longer place"
DIST=$root/dist "$work/one/scripts/dist.sh" "$@"
GOCACHE=$work/cache DIST=$work/second "$work/elsewhere/in/a longer place/scripts/dist.sh" ${own[@]+"${own[@]}"}

# Every file of the second must be equal to one of the same name of the first.
(cd "$root/dist" && sort -k2 SHA256SUMS) >"$work/sums1"
(cd "$work/second" && sort -k2 SHA256SUMS) >"$work/sums2"
[ -s "$work/sums2" ] || { echo "reproducible: nothing was made" >&2; exit 1; }
if differs=$(comm -13 <(sort "$work/sums1") <(sort "$work/sums2")) && [ -n "$differs" ]; then
  printf 'reproducible: these files of the second clone differ from those of the first:\n%s\n' "$differs" >&2
  exit 1
fi
echo "reproducible: $(wc -l <"$work/sums2") files of two clones are equal:"
cat "$work/sums2"
