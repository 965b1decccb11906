#!/usr/bin/env bash
# Installs what was built into clean roots and runs it there on a bundled capture:
#
#   - the .deb by dpkg, and the wheel by pip, into a minimal Debian of this machine's
#     release that mmdebstrap makes;
#   - the .rpm by rpm into an empty root.
#
# It takes dist/, or the folder DIST, as "make dist" and "make wheel" leave it, and root. What the machine
# lacks costs its part and not the rest; it is said. Without mmdebstrap, or where its
# mirror cannot be reached, the .deb is unpacked into an empty root, which still shows
# that the program needs nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'chroot: %s\n' "$*"; }
fail() { printf 'chroot: %s\n' "$*" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { say "skipped: all: it takes root"; exit 0; }
[ "$(uname -s)" = Linux ] || { say "skipped: all: it takes Linux"; exit 0; }

dist=${DIST:-dist} arch=$(go env GOARCH)
deb=$(ls "$dist"/*_"$arch".deb 2>/dev/null | head -n 1 || true)
rpm=$(ls "$dist"/*."$(uname -m)".rpm 2>/dev/null | head -n 1 || true)
wheel=$(ls "$dist"/python/*"$(uname -m)"*.whl 2>/dev/null | head -n 1 || true)
capture=testdata/sessions/v1/l-single-loss/client.pcap.zst
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

# in ROOT COMMAND... runs a command in a root, with nothing of this environment.
in_root() { local root=$1; shift; timeout 300 chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 "$@"; }

# recipe ROOT PROGRAM... runs the first recipe in a root. The program is started
# directly, as an empty root has not even env.
recipe() {
  local root=$1 said
  shift
  mkdir -p "$root/tmp"
  cp "$capture" "$root/tmp/session.pcap.zst"
  said=$(timeout 300 chroot "$root" "$@" --version) || fail "$*: does not start"
  say "$said"
  said=$(timeout 300 chroot "$root" "$@" analyze /tmp/session.pcap.zst) || fail "$*: does not analyse"
  grep -q 'MPTCP v1, 2 subflows' <<<"$said" || fail "$*: analyze says: $said"
  said=$(timeout 300 chroot "$root" "$@" why /tmp/session.pcap.zst) || fail "$*: why fails"
  grep -q hol_blocked <<<"$said" || fail "$*: why says: $said"
}

# debian makes a minimal Debian with what is named, from the sources of this machine.
debian() {
  local sources
  command -v mmdebstrap >/dev/null || { say "no mmdebstrap"; return 1; }
  sources=$(ls /etc/apt/sources.list.d/debian.sources 2>/dev/null || ls /etc/apt/sources.list)
  timeout 600 mmdebstrap --quiet --variant=minbase --include="$1" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$work/debian" "$sources" >"$work/log" 2>&1 ||
    { say "mmdebstrap makes no root: $(tail -n 1 "$work/log")"; return 1; }
}

if [ -z "$deb" ]; then say "skipped: .deb: none in dist/"
elif debian python3-venv; then
  cp "$deb" "$work/debian/tmp/mpanalyze.deb"
  in_root "$work/debian" dpkg -i /tmp/mpanalyze.deb >/dev/null || fail "dpkg -i failed"
  recipe "$work/debian" /usr/bin/mpanalyze
  # Minimal images may tell dpkg to leave man pages and documents out; the package has them.
  dpkg-deb -c "$deb" >"$work/list"
  for file in man/man1/mpanalyze-why.1.gz bash-completion/completions/mpanalyze doc/mpanalyze/copyright; do
    grep -q "/usr/share/$file\$" "$work/list" || fail "the package has no $file"
  done
  [ -s "$work/debian/usr/share/bash-completion/completions/mpanalyze" ] || fail "dpkg did not install the completions"
  in_root "$work/debian" dpkg -r mpanalyze >/dev/null || fail "dpkg -r failed"
  [ ! -e "$work/debian/usr/bin/mpanalyze" ] || fail "dpkg -r left the program"
  say ".deb: installed by dpkg, run, removed in a clean Debian"
else
  mkdir "$work/unpacked"
  dpkg-deb -x "$deb" "$work/unpacked"
  recipe "$work/unpacked" /usr/bin/mpanalyze
  say ".deb: unpacked and run in an empty root"
  say "skipped: dpkg: no clean Debian here"
fi

if [ -z "$rpm" ]; then say "skipped: .rpm: none in dist/"
elif command -v rpm >/dev/null; then
  mkdir "$work/rpm"
  rpm --install --root "$work/rpm" --ignorearch "$rpm" 2>"$work/log" || fail "rpm: $(cat "$work/log")"
  recipe "$work/rpm" /usr/bin/mpanalyze
  rpm --query --root "$work/rpm" mpanalyze >/dev/null || fail "rpm does not know the package"
  say ".rpm: installed by rpm and run in an empty root"
else say "skipped: .rpm: no rpm here"; fi

# The wheel and what it needs are fetched out here, for the Python in there.
if [ -z "$wheel" ]; then say "skipped: wheel: none in dist/python"
elif [ ! -x "$work/debian/usr/bin/python3" ]; then say "skipped: wheel: no clean root with Python"
else
  version=$(in_root "$work/debian" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  if ! python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" --dest "$work/debian/tmp/wheels" \
    --require-hashes -r scripts/python/package.txt 2>"$work/log"; then
    say "skipped: wheel: what it needs cannot be fetched: $(tail -n 1 "$work/log")"
  else
    cp "$wheel" "$work/debian/tmp/wheels/"
    in_root "$work/debian" python3 -m venv /tmp/venv
    in_root "$work/debian" /tmp/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-index --find-links /tmp/wheels mpanalyze
    recipe "$work/debian" /tmp/venv/bin/mpanalyze
    in_root "$work/debian" /tmp/venv/bin/python -c '
import mpanalyze
report = mpanalyze.analyze("/tmp/session.pcap.zst")
assert report[0].b2a.bytes == 1500000, report[0].b2a.bytes
assert report.connections["b2a_bytes"].tolist() == [1500000]
assert len(report.subflows) and len(report.series) and len(report.events)
'
    say "wheel: installed by pip and run in a clean Debian without Go"
  fi
fi
