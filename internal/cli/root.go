package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/checks"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/output"
	"mpanalyze/internal/report"
)

// Engine holds the functions that the commands call. Analyze, Stored and Track return a report
// together with an error if [engine.Damaged] is true for the error. Else they return either a
// report or an error.
type Engine struct {
	Analyze func(context.Context, engine.Options) (*report.Document, error)
	Stored  func(context.Context, engine.Options) (*report.Stored, error)
	Follow  func(context.Context, engine.Options, io.Writer) (engine.FollowResult, error)
	Track   func(context.Context, engine.Options) (*report.Document, error)
	Live    func(context.Context, engine.Options, engine.LiveOptions) (s *report.Stored, left int64, err error)
	// SaveMemory keeps the peak of the memory near what is in use, before many results are read; nil
	// for no change.
	SaveMemory func()
}

// app holds what all commands share.
type app struct {
	Streams
	engine  Engine
	version string
	suite   checks.Suite // the checks that were judged

	helpFailed error // why help was not written; cobra does not return it
}

// NewRoot returns the whole command tree. version is the version of the program; if it is
// empty, the build information supplies it.
func NewRoot(s Streams, e Engine, version string) *cobra.Command {
	return newRoot(&app{Streams: s, engine: e, version: version}, "")
}

// constructors are the functions that make the commands, by the names of the commands. Help and
// completion are made from these.
func constructors() map[string]func(*app) *cobra.Command {
	return map[string]func(*app) *cobra.Command{
		"analyze": newAnalyze, "compare": newCompare, "connections": newConnections, "counters": newCounters,
		"diff": newDiff, "explain": newExplain, "extract": newExtract, "task": newTask, "follow": newFollow, "report": newHTMLReport,
		"live": newLive, "packets": newPackets, "plot": newPlot, "record": newRecord,
		"tcptrace": newTcptrace, "version": newVersion, "why": newWhy,
	}
}

// called returns the name of the command that a command line begins with; empty where it begins with
// none, or with one that needs to know the others.
func called(args []string) string {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return "version"
	case len(args) > 0 && constructors()[args[0]] != nil:
		return args[0]
	}
	return ""
}

// newRoot returns the command tree with one command, or with all where only is empty. To make all flags
// of all commands takes several times as long as the rest of the start.
func newRoot(a *app, only string) *cobra.Command {
	version := false
	root := command("mpanalyze", nil, func(c *cobra.Command, _ []string) error {
		if version {
			return a.printVersion()
		}
		return c.Help()
	})
	root.SilenceErrors, root.SilenceUsage = true, true // Main prints errors in its own form
	root.DisableAutoGenTag = true                      // man pages of equal sources are equal
	root.Flags().BoolVar(&version, "version", false, "print the version, as the command of that name does")
	a.registerProgress(root)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.SetFlagErrorFunc(a.flagMistake)
	for name, construct := range constructors() {
		if only == "" || only == name {
			root.AddCommand(construct(a))
		}
	}
	root.AddCommand(newCompletion())
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultHelpCmd()
	a.addHelp(root)
	for _, c := range append(root.Commands(), root) {
		c.PreRunE = func(c *cobra.Command, args []string) error {
			if err := errors.Join(refuseExcluded(c), refuseUnchecked(c)); err != nil {
				return err
			}
			return a.keepApart(c, func() []string { return args })
		}
		completeChoices(c)
	}
	return root
}

// Main runs the program with the arguments after its name and returns its exit status. The
// first SIGINT, SIGTERM or SIGHUP ends the reading of packets. A second one ends the program. A
// SIGHUP that nohup has the program ignore stays ignored.
func Main(args []string, s Streams, e Engine, version string) ExitCode {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	defer context.AfterFunc(ctx, func() { stop(); giveUp(s.Err) })()
	a := &app{Streams: s, engine: e, version: version, suite: checks.Suite{Start: time.Now()}}
	root := newRoot(a, called(args))
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, a.helpFailed)
	if exitCode(err) == ExitFailed {
		err = mistaken(root, c, args, err)
	}
	if two := new(engine.TwoHostsError); errors.As(err, &two) {
		err = fmt.Errorf("%w; %s", err, twoHostsRemedy(c))
	}
	err = errors.Join(err, a.writeForms(c, args, err))
	printError(s.Err, err)
	return exitCode(err)
}

// patience is how long a program that is to end waits for the reader of a pipe.
const patience = time.Second

// giveUp ends the program where a write into a pipe waits for a reader that does not come.
func giveUp(w io.Writer) {
	defer crash.Catch()
	for {
		before := output.Waiting()
		time.Sleep(patience)
		if before != 0 && output.Waiting() == before {
			printError(w, errors.New("interrupted, and nobody reads the pipe that is written to"))
			output.Discard()
			os.Exit(int(ExitFailed))
		}
	}
}

// twoHostsRemedy says what to do when captures of two hosts were given as captures of one.
func twoHostsRemedy(c *cobra.Command) string {
	if c.Flags().Lookup("sender") != nil {
		return "name the host of each, --sender FILE --receiver FILE, or give both to --both, which finds out which is whose"
	}
	return "give " + c.Name() + " those of one host; mpanalyze analyze --both analyses those of both"
}

// files refuses a command line without files, and standard input given twice.
func files(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return mistakes(c, errors.New("no capture is named; name one or several files, or - for standard input"))
	}
	first := slices.Index(args, "-")
	twice := first >= 0 && slices.Contains(args[first+1:], "-")
	return mistakes(c, refuse(twice, "- is named twice; standard input can be read only once"))
}

// withOptions returns the function that cobra calls to run a command: run with the options o.
func withOptions[O any](run func(*cobra.Command, *O, []string) error, o *O) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return run(c, o, args) }
}

// reading returns the function that cobra calls to run a command on captures: run with the options o and those of the engine.
func reading[O any](a *app, run func(*cobra.Command, *O, engine.Options) error, o *O, s *source) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		eo, err := s.options(a, c, args)
		if err != nil {
			return err
		}
		return run(c, o, eo)
	}
}
