#!/bin/sh
# Finds the program for the action, and writes its path as the output "program". It is the first of:
#   - what PROGRAM names;
#   - the archive of the release VERSION, or of the release that REF, the tag of the action, names.
#     SHA256SUMS of the release must have its sum, which is also SHA256 if that is given;
#   - what Go builds of the sources that came with the action, if neither PROGRAM nor VERSION is given.
# RELEASES is the address of the directory that holds the directory vVERSION of each release.
set -eu
say() { printf 'install: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# fetch NAME gets a file of the release. The status is 1 where there is none. Any other failure ends the
# action, because the release may be there.
fetch() {
  status=0
  code=$(curl -sSL --retry 3 --max-time 300 -o "$dir/$1" -w '%{http_code}' "$RELEASES/v$version/$1") || status=$?
  case $status:$code in
    0:200) ;;
    0:404) return 1 ;;
    *) fail "$RELEASES/v$version/$1 cannot be had: curl ended with status $status, HTTP $code" ;;
  esac
}

sum() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

# release installs the program of a release. The status is 1 where there is none for this machine.
release() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) return 1 ;;
  esac
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    armv7l) arch=armv7 ;;
    *) arch=$(uname -m) ;;
  esac
  top=mpanalyze-$version-$os-$arch
  fetch SHA256SUMS && fetch "$top.tar.gz" || return 1
  found=$(sum "$dir/$top.tar.gz")
  for want in "$(awk -v name="$top.tar.gz" '$2 == name {print $1}' "$dir/SHA256SUMS")" ${SHA256:+"$SHA256"}; do
    [ "$found" = "$want" ] || fail "$top.tar.gz has the SHA-256 $found and not ${want:-one that SHA256SUMS names}"
  done
  tar -xzf "$dir/$top.tar.gz" -C "$dir" "$top/mpanalyze"
  program=$dir/$top/mpanalyze
  say "the release $version, with the sum that SHA256SUMS names"
}

build() {
  sources=$GITHUB_ACTION_PATH/../..
  [ -f "$sources/scripts/static.sh" ] || fail "no release, and no sources beside the action; give version or program"
  command -v go >/dev/null || fail "no release, and no Go to build the sources; run actions/setup-go before, or give version or program"
  program=$dir/mpanalyze
  [ "${RUNNER_OS:-}" != Windows ] || program=$program.exe
  bash "$sources/scripts/static.sh" "$program"
  say "built from the sources of the action"
}

dir=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/mpanalyze
mkdir -p "$dir"
version=${VERSION:-}
unset VERSION # static.sh would take it for that of the sources
if [ -n "${PROGRAM:-}" ]; then
  program=$(command -v "$PROGRAM") || fail "$PROGRAM is not installed"
elif [ -n "$version" ]; then
  release || fail "$RELEASES has no release $version for $(uname -sm)"
else
  case ${REF:-} in v[0-9]*) version=${REF#v} ;; esac
  { [ -n "$version" ] && release; } || build
fi
echo "program=$program" >>"${GITHUB_OUTPUT:-/dev/stdout}"
if [ -n "${GITHUB_PATH:-}" ]; then dirname "$program" >>"$GITHUB_PATH"; fi
