#!/bin/sh
# Judges each capture of CAPTURES, one per line. The status is that of the worst: 1 where a
# command failed or found something, else 0. See docs/kernel-tests.md.
set -u
failed=0
newline='
'

# check runs a command and notes that it did not pass.
check() {
  "$@" || { echo "status $? of: $*" >&2; failed=1; }
}

judge() {
  capture=$1
  name=$(basename "$capture" | sed 's/\.pcap.*$//')
  kept=$(printf %s "$capture" | tr / _) # captures of several directories may have one name
  set -- # the flags that all checks have in common
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || set -- --step-summary "$GITHUB_STEP_SUMMARY"
  [ -z "${GITHUB_ACTIONS:-}" ] || set -- "$@" --annotations
  if [ -n "${VERDICTS:-}" ]; then
    check "$MPANALYZE" why "$capture" --fail-on "$VERDICTS"
  fi
  if [ -n "${GOLDEN:-}" ]; then
    check "$MPANALYZE" diff "$GOLDEN/$name.json" "$capture" --normalise \
      ${TOLERANCE:+--tolerance "$TOLERANCE"} ${JUNIT:+--junit "$JUNIT/$kept.diff.xml"} "$@"
  fi
  limits=${FAIL_ON:-}
  [ -n "$limits" ] || return 0
  while [ -n "$limits" ]; do
    limit=${limits%%"$newline"*}
    case $limits in
      *"$newline"*) limits=${limits#*"$newline"} ;;
      *) limits= ;;
    esac
    [ -z "$limit" ] || set -- "$@" --fail-on "$limit"
  done
  check "$MPANALYZE" analyze "$capture" ${JUNIT:+--junit "$JUNIT/$kept.limits.xml"} "$@"
}

MPANALYZE=${MPANALYZE:-mpanalyze}
[ -n "${CAPTURES:-}" ] || { echo "no captures: the input captures is empty" >&2; exit 1; }
[ -n "${FAIL_ON:-}${VERDICTS:-}${GOLDEN:-}" ] || { echo "nothing to check: give fail-on, verdicts or golden" >&2; exit 1; }
[ -z "${JUNIT:-}" ] || mkdir -p "$JUNIT" || exit 1
rest=$CAPTURES
while [ -n "$rest" ]; do
  line=${rest%%"$newline"*}
  case $rest in
    *"$newline"*) rest=${rest#*"$newline"} ;;
    *) rest= ;;
  esac
  [ -z "$line" ] || judge "$line"
done
exit "$failed"
