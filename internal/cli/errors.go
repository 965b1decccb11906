package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/follow"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/storage"
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

// causes returns the errors that were joined in err, each alone: its text has one line for each of them, as [errors.Join] makes it.
func causes(err error) (all []error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && err.Error() == errors.Join(joined.Unwrap()...).Error() {
		for _, e := range joined.Unwrap() {
			all = append(all, causes(e)...)
		}
		return all
	}
	if inner := errors.Unwrap(err); inner != nil && inner.Error() == err.Error() {
		if parts := causes(inner); len(parts) > 1 {
			return parts
		}
	}
	return []error{err}
}

// withRemedy returns err's text. If the text does not say what to do, it adds that.
func withRemedy(err error) string {
	text := err.Error()
	if out := new(output.Error); errors.As(err, &out) && !errors.As(err, new(*storage.Error)) {
		if !out.Temp {
			text += "; name another place"
		}
		return text
	}
	if object := new(storage.Error); errors.As(err, &object) {
		return withoutOperation(err) // the text of the storage already says what to do
	}
	var name string
	var opened *capture.OpenError
	var path *fs.PathError
	switch {
	case errors.As(err, &opened):
		name = opened.File
	case errors.As(err, &path):
		// The operation that failed is of no help: "stat x: no such file" is "x: no such file".
		name, text = path.Path, withoutOperation(err)
	}
	switch {
	case name == os.Stdout.Name():
		text = strings.ReplaceAll(text, name, "standard output")
	case name == "":
	case errors.Is(err, fs.ErrPermission):
		text += "; change its owner or its rights, or run with those of the owner"
	case errors.Is(err, fs.ErrNotExist):
		text += missing(name)
	}
	return text
}

// mostEntries is the largest number of names of a directory that missing compares.
const mostEntries = 10000

// missing suggests names of existing files that are similar to the name of a missing file.
func missing(name string) string {
	dir, base := filepath.Split(name)
	d, err := os.Open(filepath.Clean(dir)) // "." for no directory
	if err != nil {
		return fmt.Sprintf("; there is no directory %s", filepath.Clean(dir))
	}
	defer d.Close()
	names, _ := d.Readdirnames(mostEntries) // what cannot be read is not suggested
	if near := catalogue.Near(base, names); len(near) > 0 {
		for i := range near {
			near[i] = dir + near[i]
		}
		return "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return "; check the name and the directory"
}

// withoutOperation returns err's text without the name of the operation that failed. The
// message of the storage is enough.
func withoutOperation(err error) string {
	text := err.Error()
	if path := new(fs.PathError); errors.As(err, &path) {
		text = strings.ReplaceAll(text, path.Error(), path.Path+": "+path.Err.Error())
	}
	return text
}
