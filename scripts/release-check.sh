#!/usr/bin/env bash
# What a release must pass besides .ci/run: every case of the tests, the race detector over
# all of them, fuzzing, everything that is installed, and the clusters. At its end stands a
# table: step, seconds, passed, failed, or skipped and why.
#
#   STEPS=slurm,cloud   only these steps (default: all, in the order below)
#   FUZZTIME=1m         how long each fuzz target runs, or executions, as in 2000x
#   MUTATETIME=10m      how long every command runs on mutated captures
#
# A step that needs what this machine cannot have is skipped; the last line names it.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
all=(tests race fuzz audit cloud site reproducible dist readers install python chroot container slurm snakemake kubernetes spark)
campaign=testdata/sessions/campaign

# within SECONDS COMMAND... fails where the command fails or does not end in time. Each limit is
# at least ten times what the command takes on a quiet machine.
within() {
  local status=0
  timeout -k 20 "$@" || status=$?
  [ "$status" -ne 124 ] && [ "$status" -ne 137 ] || echo "it did not end in $1 s"
  return "$status"
}
# venv NAME makes bin/NAME, an environment of Python with the packages of scripts/python/NAME.txt.
venv() {
  packages python3-venv || true # Python says itself what it lacks
  scripts/venv.sh "bin/$1" "$1" || skip "the packages of scripts/python/$1.txt cannot be installed"
}

tests() {
  wanted "programs that tests compare with" tshark tcptrace tcpdump zstd chromium jq ncompress poppler-utils iptables
  wanted LaTeX texlive-latex-base texlive-latex-recommended texlive-xetex texlive-luatex
  wanted R r-base-core
  modules
  go -C tools build -o ../bin/ gotest.tools/gotestsum
  PYTHONPATH="$PWD/bin/python" MPANALYZE_TESTS=all make test TEST='bin/gotestsum --format pkgname --jsonfile bin/tests.json --' |
    tee bin/tests.txt
  # "=== SKIP: PACKAGE TEST (SECONDS)", and on the next line "FILE:LINE: REASON".
  awk '/^=== SKIP: /{test = $4; next} test {sub(/^ *[^ ]*: */, ""); print "go: skipped: " test ": " $0; test = ""}' bin/tests.txt
  bin/gotestsum tool slowest --num 10 --jsonfile bin/tests.json
}
race() { make race; }
fuzz() {
  make fuzz FUZZTIME="${FUZZTIME:-1m}"
  make mutate MUTATETIME="${MUTATETIME:-10m}"
}
audit() { make audit; }
cloud() {
  go -C cloud mod download 2>bin/cloud.log || skip "$(tail -n 1 bin/cloud.log)"
  make cloud
}
site() {
  command -v npm >/dev/null || packages npm || skip "npm cannot be installed"
  make site
}
archives() { type jq zip >/dev/null 2>&1 || packages jq zip || skip "jq and zip cannot be installed"; }
# Everything for every platform, and once more what this machine runs, from a second clone with
# an empty cache.
reproducible() { archives; OWN="linux/$(go env GOARCH)" make reproducible; }
# The step before it leaves the packages, if it runs; what an older run left is of other sources.
dist() {
  wanted "lintian, rpm, unzip and qemu-user" lintian rpm unzip qemu-user-static
  asked reproducible || { archives; make dist; }
  scripts/packages.sh
}
readers() {
  wanted "mandoc and xmllint" mandoc libxml2-utils
  scripts/readers.sh bin/mpanalyze
}
install() {
  make install DESTDIR="$PWD/bin/installed" PREFIX=/usr
  bin/installed/usr/bin/mpanalyze --version
}
python() {
  packages python3-venv || true # it says itself what it lacks
  make python
}
# The steps before it leave the packages, if they run; what an older run left is of other sources.
chroot() {
  wanted "mmdebstrap and rpm" mmdebstrap rpm
  asked reproducible || asked dist || { archives; make dist PLATFORMS="linux/$(go env GOARCH)"; }
  asked python || make wheel
  make chroot
}
asked() { [[ " ${steps[*]} " == *" $1 "* ]]; }
container() { make container; }
slurm() {
  packages slurmctld slurmd slurm-client munge || skip "Slurm cannot be installed"
  [ "$(id -u)" -eq 0 ] || skip "it takes root"
  within 1200 scale/slurm/check.sh bin/mpanalyze $campaign
}
snakemake() {
  venv snakemake
  SNAKEMAKE="$PWD/bin/snakemake/bin/snakemake" within 900 scale/snakemake/check.sh bin/mpanalyze $campaign
}
kubernetes() {
  venv kubernetes
  within 600 bin/kubernetes/bin/python scale/kubernetes/check.py bin/mpanalyze $campaign
}
spark() {
  command -v java >/dev/null || skip "no Java"
  venv spark
  PYTHON="$PWD/bin/spark/bin/python" within 1200 scale/spark/check.sh bin/mpanalyze $campaign
}

IFS=', ' read -ra steps <<<"${STEPS:-${all[*]}}"
for name in "${steps[@]}"; do
  [[ " ${all[*]} " == *" $name "* ]] || { echo "release-check: no step $name; there are: ${all[*]}" >&2; exit 1; }
done
for name in "${steps[@]}"; do step "$name" "$name"; done
finish release-check
