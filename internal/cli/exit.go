package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/follow"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/textwrap"
)

// ExitCode is the exit status of the program.
type ExitCode int

// The exit statuses.
const (
	ExitOK      ExitCode = 0            // everything was read
	ExitFailed  ExitCode = 1            // nothing could be analysed: usage, no such file, not a capture
	ExitDamaged ExitCode = 2            // analysed, but a capture is cut or damaged, or payload is missing
	ExitWorse   ExitCode = 3            // compared or judged, and worse than --fail-on allows, or fields differ
	ExitFault   ExitCode = crash.Status // the program itself failed: file descriptors, memory, a fault of its own

	ExitAgain      ExitCode = 75 // of task: a run could not be read, for a reason that may pass; EX_TEMPFAIL of sysexits.h
	ExitCannotTell ExitCode = 5  // compared or judged, and too few runs or an absent figure leave open whether --fail-on is exceeded
)

// A statusError ends the program with a status of its own.
type statusError struct {
	code ExitCode
	text string // empty if every message was already printed
}

func (e *statusError) Error() string { return e.text }

// exitCode returns the status that err stands for.
func exitCode(err error) ExitCode {
	var missing *follow.MissingError
	var status *statusError
	var damage *engine.DamageError
	switch {
	case crash.Exhausted(err):
		return ExitFault // even if a report could be made: the capture is not the cause
	case !errors.Is(err, syscall.EPIPE) && (errors.As(err, new(*output.Error)) || outFailed(err)):
		return ExitFailed // even if the capture is damaged: the output that was asked for is missing
	case errors.As(err, &status):
		return status.code // comes before damage, as in all commands that judge or compare
	case err == nil, errors.Is(err, syscall.EPIPE):
		return ExitOK
	case errors.As(err, &damage) && damage.Nothing:
		return ExitFailed // nothing was read
	case engine.Damaged(err), errors.As(err, &missing):
		return ExitDamaged
	}
	return ExitFailed
}

// outFailed reports whether standard output could not be written.
func outFailed(err error) bool {
	return slices.ContainsFunc(causes(err), func(cause error) bool {
		var failed *fs.PathError
		return errors.As(cause, &failed) && failed.Op == "write" && failed.Path == os.Stdout.Name()
	})
}

// eachMessage calls f with each line that is said about err, one or several for each cause. Nothing is said about a reader of standard
// output that has closed it.
func eachMessage(err error, f func(cause error, line string)) {
	for _, cause := range causes(err) {
		if cause == nil || errors.Is(cause, syscall.EPIPE) {
			continue
		}
		text := "interrupted"
		if !errors.Is(err, context.Canceled) {
			text = withRemedy(cause)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) != "" {
				f(cause, plaintext.Clean(line))
			}
		}
	}
}

// printError writes err to w, each line with the program's name.
func printError(w io.Writer, err error) {
	eachMessage(err, func(_ error, line string) { fmt.Fprintf(w, "mpanalyze: %s\n", line) })
	if usage := new(usageError); errors.As(err, &usage) {
		fmt.Fprintf(w, "mpanalyze: run '%s --help' for usage\n", usage.command)
	}
}

// columns returns where output is written to: rows with tabs, on a terminal, as a table that fits it. leftOut says
// which columns do not fit.
func (a *app) columns(important string, rows bool) (out io.Writer, leftOut func()) {
	if !rows || !a.OutTTY || a.OutWidth == 0 {
		return a.Out, func() {}
	}
	table := textwrap.NewColumns(a.Out, a.OutWidth, important)
	return table, func() {
		if names := table.LeftOut(); len(names) > 0 {
			a.sayWarnings([]string{fmt.Sprintf("the terminal is too narrow for the columns %s; a file or a pipe gets all, as in | cat", strings.Join(names, ", "))})
		}
	}
}

// sayWarnings writes lines to standard error, each with the program's name.
func (a *app) sayWarnings(lines []string) {
	for _, l := range lines {
		fmt.Fprintf(a.Err, "mpanalyze: %s\n", plaintext.Clean(l))
	}
}
