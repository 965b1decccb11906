package cli

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Streams is the world around a command.
type Streams struct {
	In       io.Reader
	Out      io.Writer
	Err      io.Writer
	OutTTY   bool                // whether Out is a terminal
	ErrTTY   bool                // whether Err is a terminal
	OutWidth int                 // columns of Out's terminal; 0 where it is none
	Getenv   func(string) string // environment
	Now      func() time.Time    // wall clock, for progress only
}

// System returns the streams of this process.
func System() Streams {
	s := Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		OutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		ErrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Getenv: os.Getenv,
		Now:    time.Now,
	}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); s.OutTTY && err == nil {
		s.OutWidth = width
	}
	return s
}

// color decides on colours: an explicit wish wins, else a terminal has them
// unless NO_COLOR is set (no-color.org) or it cannot show them.
func (s *Streams) color(when string) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return s.OutTTY && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
}
