#!/usr/bin/env bash
# Prints the version of this source tree: 1.2.3 at the tag v1.2.3, behind it
# 1.2.3+4.gCOMMIT, without any tag 1.2.3+DATE.gCOMMIT, where 1.2.3 is the newest
# version in CHANGELOG.md; .dirty where files differ
# from the commit. It is a valid version for Debian, RPM and Python (PEP 440), and
# the same in every clone. Outside a repository: 1.2.3.
set -euo pipefail
cd "$(dirname "$0")/.."
newest=$(sed -n '/^## \([0-9][0-9.]*\).*/{s//\1/p;q;}' CHANGELOG.md)

if [ "$(git rev-parse --show-toplevel 2>/dev/null)" != "$PWD" ]; then
  echo "$newest"
  exit
fi
if said=$(git describe --tags --long --abbrev=12 --match 'v[0-9]*' 2>/dev/null); then
  commit=${said##*-} said=${said%-*}
  version=${said%-*} behind=${said##*-}
  version=${version#v}
  [ "$behind" = 0 ] || version+=+$behind.$commit
else
  version=$newest+$(TZ=UTC git log -1 --date=format-local:%Y%m%d --format=%cd).g$(git rev-parse --short=12 HEAD)
fi
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  case $version in *+*) version+=.dirty ;; *) version+=+dirty ;; esac
fi
echo "$version"
