#!/usr/bin/env bash
# Builds packaging/Containerfile and runs what it made. Where neither podman nor docker
# works its steps are done by hand: the build stage's commands, and the program alone in
# an empty root by an unprivileged user, with the capture read-only. Which of the two it
# did it says.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/release.env
capture=testdata/sessions/v1/l-single-loss
say() { printf 'container: %s\n' "$*"; }
works() { grep -q 'MPTCP v1, 2 subflows' <<<"$1" || { echo "container: analyze says: $1" >&2; exit 1; }; }

for tool in podman docker; do
  timeout 60 "$tool" info >/dev/null 2>&1 || continue
  # Without its base image nothing can be built.
  for image in $(sed -n 's/^FROM \([^ ]*\).*/\1/p' packaging/Containerfile); do
    [ "$image" = scratch ] || timeout 300 "$tool" pull "$image" >/dev/null 2>&1 || { say "$tool cannot fetch $image"; continue 2; }
  done
  timeout 600 "$tool" build --build-arg VERSION="$VERSION" -f packaging/Containerfile -t mpanalyze:check .
  works "$(timeout 60 "$tool" run --rm -v "$PWD/$capture:/data:ro" mpanalyze:check analyze client.pcap.zst)"
  say "built and run by $tool"
  exit
done

[ "$(id -u)" -eq 0 ] && [ "$(uname -s)" = Linux ] || { say "skipped: all: neither podman nor docker works here, and by hand it takes root on Linux"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
stage=$(sed -n '/^RUN /,/[^\\]$/p' packaging/Containerfile | sed 's/^RUN //')
[ -n "$stage" ] || { echo "container: no RUN in packaging/Containerfile" >&2; exit 1; }
bash -euc "${stage//\/root-of-it/$work/root}"
install -d -m 755 "$work/root/data" && chmod 755 "$work" "$work/root"
install -m 644 "$capture/client.pcap.zst" "$work/root/data/"
works "$(timeout 60 chroot --userspec=65534:65534 "$work/root" /usr/bin/mpanalyze analyze /data/client.pcap.zst)"
say "the steps of packaging/Containerfile were done in an empty root, and the program ran there as nobody"
say "skipped: image: neither podman nor docker can build it here"
