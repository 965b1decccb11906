package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// Engine is what the commands run. Analyze, Stored and Track return a report together
// with an error where [engine.Damaged] holds of it, else one of the two.
type Engine struct {
	Analyze func(context.Context, engine.Options) (*report.Document, error)
	Stored  func(context.Context, engine.Options) (*report.Stored, error)
	Follow  func(context.Context, engine.Options, io.Writer) (engine.FollowResult, error)
	Track   func(context.Context, engine.Options) (*report.Document, error)
}

// app is what every command shares.
type app struct {
	Streams
	engine  Engine
	version string
}

const rootHelp = `mpanalyze reads packet captures of Multipath TCP sessions (RFC 6824, RFC 8684),
rebuilds the connections and says how the data was split over the paths, how
long it waited for what, and what went wrong.

Exit status: 0 everything was read; 1 nothing could be analysed; 2 analysed,
but a capture is cut or damaged, or payload that was asked for is missing;
3 compared, but worse than compare --fail-on allows, or not the same as what
tcptrace --diff was given; 4 the program itself failed: no file descriptor or
memory was left, or it has a fault. What it cannot catch, as memory that runs out
while it works, ends it with SIGABRT (134 in a shell) or the system's SIGKILL (137).

An interrupt (SIGINT) or SIGTERM ends the reading as damage does: what was read is
reported, with status 2; a second one ends the program.`

// NewRoot returns the whole command tree. The version is that of the build;
// empty to take it from the build information.
func NewRoot(s Streams, e Engine, version string) *cobra.Command {
	a := &app{Streams: s, engine: e, version: version}
	root := &cobra.Command{
		Use:               "mpanalyze",
		Short:             "Analyse packet captures of Multipath TCP",
		Long:              rootHelp,
		SilenceErrors:     true, // Main says them in its own form
		SilenceUsage:      true,
		DisableAutoGenTag: true, // man pages of equal sources are equal
	}
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{c.CommandPath(), withUsage(err)}
	})
	root.AddCommand(newAnalyze(a), newCompare(a), newConnections(a), newExplain(a), newExtract(a), newFollow(a), newHTMLReport(a), newPackets(a), newPair(a), newPlot(a), newSchema(a), newTcptrace(a), newVersion(a), newWhy(a))
	return root
}

// withUsage adds to an error about a flag's value which values the flag takes.
func withUsage(err error) error {
	var number *strconv.NumError
	isNumber := errors.As(err, &number)
	switch {
	case isNumber && number.Func == "ParseBool":
		return fmt.Errorf("%w; want true or false", err)
	case isNumber && number.Func == "ParseFloat":
		return fmt.Errorf("%w; want a number", err)
	case isNumber:
		return fmt.Errorf("%w; want a whole number", err)
	case strings.Contains(err.Error(), ": time: "): // which has no type of its own
		return fmt.Errorf("%w; want a time with its unit, as in 100ms or 3s", err)
	}
	return err
}

// Main runs the program with the arguments after its name and returns its exit
// status. The first interrupt or request to terminate ends the reading, a second one
// the program.
func Main(args []string, s Streams, e Engine, version string) ExitCode {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := NewRoot(s, e, version)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && strings.HasPrefix(err.Error(), "unknown command") && !errors.As(err, new(*usageError)) {
		err = &usageError{root.CommandPath(), err}
	}
	printError(s.Err, err)
	return exitCode(err)
}

// files refuses a command line without files, and standard input given twice.
func files(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{c.CommandPath(), errors.New("no capture given; name one or several files, or - for standard input")}
	}
	stdin := 0
	for _, f := range args {
		if f == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return &usageError{c.CommandPath(), errors.New("standard input can be read only once")}
	}
	return nil
}

// noArgs refuses arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{c.CommandPath(), errors.New("takes no argument, got " + args[0])}
	}
	return nil
}
