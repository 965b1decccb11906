#!/usr/bin/env bash
# Makes what is passed on to users, in dist/ or the folder named by DIST: for each
# platform an archive with the static program, man pages, completions, licences and a
# bill of materials; for Linux .deb and .rpm too, and .ipk of OpenWrt for what routers
# have; and SHA256SUMS of all. Equal sources make equal files with equal versions of Go,
# nfpm, gzip, tar and zip, wherever the clone lies. It needs jq, zip and GNU tar (gtar on macOS).
#
# Wheels of Python are made by scripts/wheel.sh. Those in dist/python stay there.
#
#   scripts/dist.sh [OS/ARCH...]      default: every platform
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release.env

if [ $# -gt 0 ]; then platforms=("$@"); else platforms=(linux/amd64 linux/arm64 linux/armv7 linux/mipsle linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64); fi
root=$PWD dist=${DIST:-dist}
mkdir -p "$dist"
rm -rf "$dist"/mpanalyze* "$dist/SHA256SUMS"
dist=$(cd "$dist" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { printf 'dist: %s\n' "$*" >&2; }
gnutar=$(command -v gtar || echo tar)
for program in jq zip "$gnutar"; do
  command -v "$program" >/dev/null || { say "$program is not installed; install it"; exit 1; }
done
sums() { if command -v sha256sum >/dev/null; then sha256sum -- "$@"; else shasum -a 256 -- "$@"; fi; }

say "version $VERSION: man pages, completions"
mkdir -p "$work/man" "$work/man1" "$work/completions"
for tool in gen-man licences; do
  CGO_ENABLED=0 go -C tools build -o "$work/$tool" "./$tool"
done
"$work/gen-man" "$work/man"
scripts/completions.sh "$work/completions"
for page in "$work"/man/*.1; do gzip -9n <"$page" >"$work/man1/${page##*/}.gz"; done
gzip -9n <CHANGELOG.md >"$work/changelog.gz"
printf 'mpanalyze (%s-1) unstable; urgency=medium\n\n  * What changed is in changelog.gz.\n\n -- %s  %s\n' \
  "$VERSION" "$MAINTAINER" "$(utc '%a, %d %b %Y %H:%M:%S +0000')" | gzip -9n >"$work/changelog.Debian.gz"

GOBIN="$work" CGO_ENABLED=0 GOFLAGS=-mod=mod timeout 600 go install "$CYCLONEDX"

# Packages come from nfpm. Where it cannot be installed there are none.
nfpm=
for platform in "${platforms[@]}"; do
  case $platform in linux/*)
    if said=$(GOBIN="$root/bin" CGO_ENABLED=0 GOFLAGS=-mod=mod timeout 600 go install "$NFPM" 2>&1); then nfpm=$root/bin/nfpm
    else say "skipped: .deb, .rpm and .ipk: nfpm cannot be installed: ${said##*$'\n'}"; fi
    break ;;
  esac
done

# OpenWrt has a name for each kind of processor, and one program fits many. These are the names with
# which most routers of the last years call theirs; docs/start.md says what others do.
openwrt() {
  case $1 in
  arm64) echo aarch64_cortex-a53 ;;
  armv7) echo arm_cortex-a7_neon-vfpv4 ;;
  mipsle) echo mipsel_24kc ;;
  esac
}

# packages ARCH FOLDER
packages() {
  local packager router kinds=(deb rpm)
  router=$(openwrt "$1")
  [ -z "$router" ] || kinds+=(ipk)
  for packager in "${kinds[@]}"; do
    sed -e "s|@ARCH@|${1/armv7/arm7}|; s|@OPENWRT@|$router|; s|@VERSION@|$VERSION|; s|@FILES@|$2|; s|@MTIME@|$(utc)|" \
      -e "s|@MAINTAINER@|$MAINTAINER|; s|@HOMEPAGE@|$HOMEPAGE|; /^homepage: \"\"$/d" packaging/nfpm.yaml >"$work/nfpm.yaml"
    [ "$packager" != deb ] || sed -i.all '/^license:/d' "$work/nfpm.yaml"
    "$nfpm" package --config "$work/nfpm.yaml" --packager "$packager" --target "$dist" >/dev/null
  done
}

# bill PROGRAM LICENCES.csv prints the bill of materials of a program. cyclonedx-gomod lists the modules;
# it takes the licences of some for others, so they come from tools/licences. It names the platform of GOOS and GOARCH.
bill() {
  "$work/cyclonedx-gomod" bin -json -noserial -std -version "$VERSION" "$1" |
    jq --arg time "$(utc)" --rawfile csv "$2" '
      [$csv | splits("\n") | select(. != "") | split(",")] as $lines
      | def expression: .name as $name | [$lines[] | select(.[0] == $name)[2]] | unique
          | if . == [] then error($name + ": no licence is known") else [{expression: join(" AND ")}] end;
      .metadata.timestamp = $time
      | del(.metadata.tools[].hashes) # they depend on where the tool was built
      | .metadata.component.licenses = [{expression: "MIT"}]
      | .components[] |= (.licenses = expression)'
}

# Archives of equal files are equal: names are sorted, times and rights are set, owners are left out.
pack() {
  local top
  top=$(basename "$2")
  chmod -R u=rwX,go=rX "$2"
  cd "$(dirname "$2")"
  case $1 in
  *.zip) find "$top" -exec touch -d "$(utc)" {} + && find "$top" | LC_ALL=C sort | TZ=UTC zip -qX9@ "$1" ;;
  *) LC_ALL=C "$gnutar" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar -c "$top" | gzip -9n >"$1" ;;
  esac
}

for platform in "${platforms[@]}"; do
  os=${platform%/*} arch=${platform#*/}
  name=mpanalyze-$VERSION-$os-$arch suffix=
  [ "$os" = windows ] && suffix=.exe
  say "$name"
  files=$work/$name
  mkdir -p "$files"
  export GOOS=$os GOARCH=$arch GOARM=7 GOMIPS=softfloat # the kernel would have to do the arithmetic of most routers
  [ "$arch" != armv7 ] || GOARCH=arm
  scripts/static.sh "$files/mpanalyze$suffix"
  { echo "std $(go env GOVERSION) $(go env GOROOT)" &&
    CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}' ./cmd/mpanalyze; } |
    "$work/licences" -texts "$files/THIRD-PARTY-LICENCES.txt" >"$files/licences.csv"
  bill "$files/mpanalyze$suffix" "$files/licences.csv" >"$files/sbom.cdx.json"
  cp LICENSE README.md CHANGELOG.md "$files/"
  cp -r packaging/wireshark "$files/"
  cp -r "$work/man" "$work/completions" "$files/"
  case $os in
  windows) (pack "$dist/$name.zip" "$files") ;;
  *) (pack "$dist/$name.tar.gz" "$files") ;;
  esac
  cp "$files/sbom.cdx.json" "$dist/$name.cdx.json"
  if [ "$os" = linux ] && [ -n "$nfpm" ]; then
    mkdir "$files/bin" && mv "$files/mpanalyze" "$files/bin/"
    cp -r "$work/man1" "$work"/changelog*.gz "$files/"
    packages "$arch" "$files"
  fi
done

(cd "$dist" && sums mpanalyze* >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
say "$(wc -l <"$dist/SHA256SUMS") files in $dist, their sums in SHA256SUMS"
