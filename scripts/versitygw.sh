#!/usr/bin/env bash
# Installs bin/versitygw, a server that speaks S3, for the tests of cloud/. Where it cannot be
# had it says so, and the tests that need it are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v1.8.0
server=bin/versitygw
mkdir -p bin
if [ -x "$server" ] && go version -m "$server" | grep -q "versitygw[[:space:]]$version"; then
  exit 0
fi
# It needs three minutes on two cores that have nothing else to do.
if ! said=$(GOBIN="$PWD/bin" CGO_ENABLED=0 timeout 1800 go install -ldflags '-s -w' "github.com/versity/versitygw/cmd/versitygw@$version" 2>&1); then
  echo "cloud: skipped: tests with a server of S3: versitygw cannot be installed: ${said##*$'\n'}"
fi
