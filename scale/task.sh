# shellcheck shell=bash disable=SC2034 # whoever sources it reads the names
# Sourced by the checks: what they know of the program.
task=task # the command that the recipes start
later=75  # its exit status where a capture could not be read for now: the task is to be started again

# knows PROGRAM fails where the program has no command of that name. The checks wait for that command.
knows() {
  "$1" --help | grep "^ *$task " >/dev/null || { echo "$1 has no command '$task': scale/task.sh names the one that the recipes start"; exit 1; }
}
