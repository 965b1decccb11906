#!/usr/bin/env bash
# Decides whether this machine can build with cgo (a C compiler and libpcap's
# headers) and writes 1 or 0 to the file named by the first argument. Where
# something is missing it tries to install it; where that fails the pure Go
# build is used: everything works, and --filter lets tcpdump compile its
# expressions. What it does it says on standard error.
#
#   scripts/deps.sh FILE        INSTALL=no keeps it from installing anything
set -uo pipefail

out=${1:?usage: scripts/deps.sh FILE}
mkdir -p "$(dirname "$out")"
tried=$(dirname "$out")/deps-tried

say() { printf 'deps: %s\n' "$*" >&2; }
decide() { printf '%s\n' "$1" >"$out"; exit 0; }

command -v go >/dev/null || { say "no 'go' in PATH: install Go 1.26 or later from https://go.dev/dl/"; exit 1; }
minor=$(go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
if [ -n "$minor" ] && [ "$minor" -lt 21 ]; then
  say "Go 1.$minor is too old: Go 1.26 is needed (Go 1.21 or later fetches it by itself)"
  exit 1
fi

# The caller's word comes first.
case "${CGO_ENABLED:-}" in 0 | 1) decide "$CGO_ENABLED" ;; esac

compiler() { command -v "$(go env CC)" >/dev/null; }
headers() { echo '#include <pcap.h>' | "$(go env CC)" -E -x c - >/dev/null 2>&1; }
# Linking is tried too: headers without the library are of no use.
links() {
  local dir status
  dir=$(mktemp -d) || return 1
  printf '#include <pcap.h>\nint main(void) { return pcap_lib_version() == 0; }\n' >"$dir/t.c"
  "$(go env CC)" -o "$dir/t" "$dir/t.c" -lpcap >/dev/null 2>&1
  status=$?
  rm -rf "$dir"
  return $status
}

# apt PACKAGE... installs as root, or through sudo where it asks no password.
apt() {
  local as=()
  command -v apt-get >/dev/null || { say "no apt-get here, cannot install $*"; return 1; }
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || { say "not root and sudo asks for a password, cannot install $*"; return 1; }
    as=(sudo -n)
  fi
  say "installing $* with apt-get"
  local get=("${as[@]}" env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -o DPkg::Lock::Timeout=60 -o Acquire::Retries=1)
  "${get[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return 0
  "${get[@]}" update >/dev/null 2>&1
  "${get[@]}" install -y --no-install-recommends "$@" >/dev/null 2>&1 && return 0
  say "apt-get could not install $* (no network, or no such package)"
  return 1
}

if compiler && headers && links; then
  rm -f "$tried"
  decide 1
fi

missing=()
compiler || missing+=(gcc libc6-dev)
compiler && headers && links || missing+=(libpcap-dev)

if [ "${INSTALL:-yes}" = no ]; then
  say "missing: ${missing[*]}; INSTALL=no, so building in pure Go (CGO_ENABLED=0)"
  decide 0
fi
if [ -e "$tried" ]; then
  say "missing: ${missing[*]}; building in pure Go (CGO_ENABLED=0). 'make clean' makes the next run try to install them again"
  decide 0
fi
if apt "${missing[@]}" && compiler && headers && links; then
  say "installed ${missing[*]}: building with libpcap"
  decide 1
fi
: >"$tried"
say "building in pure Go instead (CGO_ENABLED=0): --filter then needs tcpdump, and there is no race detector; all else works"
decide 0
