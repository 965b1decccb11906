package cli

import (
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"mpanalyze/internal/output"
)

// Streams holds what a command uses of its process: streams, environment and clock.
type Streams struct {
	In       io.Reader
	Out      io.Writer
	Err      io.Writer
	InTTY    bool                // whether In is a terminal
	OutTTY   bool                // whether Out is a terminal
	ErrTTY   bool                // whether Err is a terminal
	OutWidth int                 // columns of Out's terminal, or what COLUMNS in the environment says; 0 for neither
	Getenv   func(string) string // environment
	Now      func() time.Time    // wall clock, for progress only
}

// System returns the streams of this process.
func System() Streams {
	s := Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY:  term.IsTerminal(int(os.Stdin.Fd())),
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Getenv: os.Getenv,
		Now:    time.Now,
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		s.Out = output.NewStream(os.Stdout)
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); s.OutTTY && err == nil {
		s.OutWidth = width
	}
	if columns, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && columns > 0 {
		s.OutWidth = columns // as POSIX says: the user's preference comes before the terminal
	}
	return s
}

// color reports whether to use colours. The flag decides, if it is always or never. Else a
// terminal has colours, unless NO_COLOR is set (no-color.org) or it cannot show them.
func (s *Streams) color(when string) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return s.OutTTY && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}
