#!/bin/sh
# Judges each capture of CAPTURES, one per line. The status is 1 where a command failed or found
# something, else 0. The program writes the annotations, the summary and the JUnit XML itself.
# See docs/testing.md.
set -u
failed=0
newline='
'

# check KIND COMMAND... runs a command and notes that it did not pass.
check() {
  kind=$1
  shift
  "$MPANALYZE" "$@" ${JUNIT:+--junit "$JUNIT/$kept.$kind.xml"} ${GITHUB_ACTIONS:+--github} ||
    { echo "status $? of: $MPANALYZE $*" >&2; failed=1; }
}

judge() {
  capture=$1
  name=$(basename "$capture" | sed 's/\.pcap.*$//')
  kept=$(printf %s "$capture" | tr / _) # captures of several directories may have one name
  if [ -n "${VERDICTS:-}" ]; then
    check verdicts why "$capture" --fail-on "$VERDICTS"
  fi
  if [ -n "${GOLDEN:-}" ]; then
    check diff diff "$GOLDEN/$name.json" "$capture" --normalise ${TOLERANCE:+--tolerance "$TOLERANCE"}
  fi
  limits=${FAIL_ON:-}
  [ -n "$limits" ] || return 0
  set --
  while [ -n "$limits" ]; do
    limit=${limits%%"$newline"*}
    case $limits in
      *"$newline"*) limits=${limits#*"$newline"} ;;
      *) limits= ;;
    esac
    [ -z "$limit" ] || set -- "$@" --fail-on "$limit"
  done
  check limits analyze "$capture" "$@"
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
