#!/usr/bin/env bash
# Checks what "make dist" left in dist/, or the folder DIST: the sums; the contents of each package
# and archive; lintian on each .deb; and that the programs of other processors run, by qemu-user.
# What the machine lacks costs its part and not the rest; it is said.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=${DIST:-dist} capture=$PWD/testdata/sessions/v1/l-single-loss/client.pcap.zst
say() { printf 'packages: %s\n' "$*"; }
fail() { printf 'packages: %s\n' "$*" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$dist" && sha256sum --check --quiet SHA256SUMS && ls mpanalyze* | LC_ALL=C sort >"$work/files" &&
  awk '{print $2}' SHA256SUMS | LC_ALL=C sort | diff "$work/files" -) || fail "SHA256SUMS does not have the sum of each file"
say "SHA256SUMS has the sums of $(wc -l <"$work/files") files"

# list FILE prints the names in a package or an archive as they are below the root or the archive's folder.
list() {
  case $1 in
  *.deb) dpkg-deb --fsys-tarfile "$1" | tar -t | sed 's|^\./||' ;;
  *.ipk) tar -xzOf "$1" ./data.tar.gz | tar -tz | sed 's|^\./||' ;;
  *.rpm) rpm -qlp "$1" 2>/dev/null | sed 's|^/||' ;;
  *.zip) unzip -Z1 "$1" | sed 's|^[^/]*/||' ;;
  *) tar -tzf "$1" | sed 's|^[^/]*/||' ;;
  esac
}
doc=usr/share/doc/mpanalyze
ipk="usr/bin/mpanalyze $doc/copyright $doc/THIRD-PARTY-LICENCES.txt"
rpm="$ipk $doc/changelog.gz $doc/sbom.cdx.json usr/share/man/man1/mpanalyze.1.gz usr/share/man/man1/mpanalyze-why.1.gz
  usr/share/bash-completion/completions/mpanalyze usr/share/fish/vendor_completions.d/mpanalyze.fish usr/share/mpanalyze/wireshark/mpanalyze.lua"
deb="$rpm $doc/changelog.Debian.gz usr/share/zsh/vendor-completions/_mpanalyze usr/share/lintian/overrides/mpanalyze"
archive="LICENSE README.md CHANGELOG.md THIRD-PARTY-LICENCES.txt sbom.cdx.json man/mpanalyze.1 completions/_mpanalyze wireshark/mpanalyze.lua"
for file in "$dist"/mpanalyze*; do
  case $file in
  *.deb) want=$deb needs=dpkg-deb ;;
  *.ipk) want=$ipk needs=tar ;;
  *.rpm) want="$rpm usr/share/zsh/site-functions/_mpanalyze" needs=rpm ;;
  *.zip) want="$archive mpanalyze.exe" needs=unzip ;;
  *.tar.gz) want="$archive mpanalyze" needs=tar ;;
  *) continue ;;
  esac
  command -v $needs >/dev/null || { say "skipped: contents of ${file##*/}: no $needs"; continue; }
  list "$file" >"$work/list"
  for name in $want; do grep -qxF "$name" "$work/list" || fail "${file##*/} has no $name"; done
  say "${file##*/}: $(grep -vc '/$' "$work/list") files"
done

if ! command -v lintian >/dev/null; then say "skipped: lintian: it is not installed"
else
  # It warns that it runs as root; there is nothing here that it runs.
  for file in "$dist"/*.deb; do lintian --fail-on error,warning --allow-root "$file" || fail "lintian finds something in ${file##*/}"; done
  say "lintian finds nothing in $(ls "$dist"/*.deb | wc -l) packages"
fi

for file in "$dist"/mpanalyze-*-linux-*.tar.gz; do
  arch=${file##*-linux-} arch=${arch%.tar.gz}
  case $arch in amd64) qemu=x86_64 ;; arm64) qemu=aarch64 ;; armv7) qemu=arm ;; mipsle) qemu=mipsel ;; *) qemu=$arch ;; esac
  run=(timeout 300)
  if [ "$arch" != "$(go env GOARCH)" ]; then
    command -v "qemu-$qemu-static" >/dev/null || { say "skipped: program for $arch: no qemu-$qemu-static"; continue; }
    run+=("qemu-$qemu-static")
  fi
  mkdir "$work/$arch" && tar -xzf "$file" -C "$work/$arch" --strip-components=1
  said=$("${run[@]}" "$work/$arch/mpanalyze" why "$capture") || fail "the program for $arch ends with status $?"
  case $arch in "$(go env GOARCH)") own=$said ;; esac
  [ "$said" = "${own:=$said}" ] && grep -q hol_blocked <<<"$said" || fail "the program for $arch says: $said"
  say "the program for $arch runs${run[2]:+ by ${run[2]}}"
done
