#!/bin/bash
# Analyses the runs of a manifest as an array job, then compares them as a second job:
#   figures.sh runs.csv results 100 [compare options]
# A task that is killed, or whose node fails, is queued again and goes on with what is not done. So is one that could not
# read a capture for now, unless it was queued again three times.
set -euo pipefail

if [ -n "${SLURM_ARRAY_TASK_ID-}" ]; then # a task
  status=0
  srun --ntasks=1 "${MPANALYZE:-mpanalyze}" task --manifest "$1" --output "$2" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$3" || status=$?
  case $status in
  2) exit 0 ;; # captures were skipped, which their results say
  75) [ "${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "$SLURM_JOB_ID" ;;
  esac
  exit "$status"
fi

manifest=$(realpath "$1") out=$(realpath -m "$2") tasks=$3
shift 3
mkdir -p "$out.log"
job=$(sbatch --parsable --requeue --array="1-$tasks" --output="$out.log/%a.txt" "$0" "$manifest" "$out" "$tasks")
# afterany: the merge itself says which runs have no result.
merge=$(sbatch --parsable --dependency="afterany:$job" --output="$out.txt" --error="$out.messages.txt" \
  --wrap "$(printf '%q ' "${MPANALYZE:-mpanalyze}" compare --results "$out" "$@")")
echo "array job $job, merge $merge: tables in $out.txt"
