#!/usr/bin/env bash
# Makes what is passed on to users, in dist/ or the folder named by DIST: for each
# platform an archive with the static program, man pages, completions, licences and a
# bill of materials; for Linux .deb and .rpm too; and SHA256SUMS of all. Equal sources
# make equal files with equal versions of Go and nfpm, wherever the clone lies.
#
# Wheels of Python are made by scripts/wheel.sh. Those in dist/python stay there.
#
#   scripts/dist.sh [OS/ARCH...]      default: every platform
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release.env

if [ $# -gt 0 ]; then platforms=("$@"); else platforms=(linux/amd64 linux/arm64 linux/riscv64 darwin/amd64 darwin/arm64 windows/amd64); fi
root=$PWD dist=${DIST:-dist}
mkdir -p "$dist"
rm -rf "$dist"/mpanalyze* "$dist/SHA256SUMS"
dist=$(cd "$dist" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { printf 'dist: %s\n' "$*" >&2; }
sums() { if command -v sha256sum >/dev/null; then sha256sum -- "$@"; else shasum -a 256 -- "$@"; fi; }

say "version $VERSION: man pages, completions"
mkdir -p "$work/man" "$work/man1" "$work/completions"
for tool in gen-man licences sbom pack; do
  CGO_ENABLED=0 go -C tools build -o "$work/$tool" "./$tool"
done
"$work/gen-man" "$work/man"
scripts/completions.sh "$work/completions"
for page in "$work"/man/*.1; do gzip -9n <"$page" >"$work/man1/${page##*/}.gz"; done

# Packages come from nfpm. Where it cannot be installed there are none.
nfpm=
for platform in "${platforms[@]}"; do
  case $platform in linux/*)
    if said=$(GOBIN="$root/bin" CGO_ENABLED=0 GOFLAGS=-mod=mod timeout 600 go install "$NFPM" 2>&1); then nfpm=$root/bin/nfpm
    else say "skipped: .deb and .rpm: nfpm cannot be installed: ${said##*$'\n'}"; fi
    break ;;
  esac
done

# packages ARCH FOLDER
packages() {
  sed -e "s|@ARCH@|$1|; s|@VERSION@|$VERSION|; s|@FILES@|$2|; s|@MTIME@|$(utc)|" packaging/nfpm.yaml >"$work/nfpm.yaml"
  "$nfpm" package --config "$work/nfpm.yaml" --packager deb --target "$dist" >/dev/null
  "$nfpm" package --config "$work/nfpm.yaml" --packager rpm --target "$dist" >/dev/null
}

for platform in "${platforms[@]}"; do
  os=${platform%/*} arch=${platform#*/}
  name=mpanalyze-$VERSION-$os-$arch suffix=
  [ "$os" = windows ] && suffix=.exe
  say "$name"
  files=$work/$name
  mkdir -p "$files"
  GOOS=$os GOARCH=$arch scripts/static.sh "$files/mpanalyze$suffix"
  GOOS=$os GOARCH=$arch CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}' ./cmd/mpanalyze |
    "$work/licences" -texts "$files/THIRD-PARTY-LICENCES.txt" -goroot "$(go env GOROOT)" >"$files/licences.csv"
  "$work/sbom" -version "$VERSION" -licences "$files/licences.csv" "$files/mpanalyze$suffix" >"$files/sbom.cdx.json"
  cp LICENSE README.md CHANGELOG.md "$files/"
  cp -r packaging/wireshark "$files/"
  cp -r "$work/man" "$work/completions" "$files/"
  case $os in
  windows) "$work/pack" "$dist/$name.zip" "$files" ;;
  *) "$work/pack" "$dist/$name.tar.gz" "$files" ;;
  esac
  cp "$files/sbom.cdx.json" "$dist/$name.cdx.json"
  if [ "$os" = linux ] && [ -n "$nfpm" ]; then
    mkdir "$files/bin" && mv "$files/mpanalyze" "$files/bin/"
    cp -r "$work/man1" "$files/"
    packages "$arch" "$files"
  fi
done

(cd "$dist" && sums mpanalyze* >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
say "$(wc -l <"$dist/SHA256SUMS") files in $dist, their sums in SHA256SUMS"
