package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
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

// The progress line appears after some time, and then changes a few times a second.
const (
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond
)

// registerProgress gives every command the flag --progress. With it the progress line can be
// shown although standard error is no terminal, as in a notebook, or hidden.
func (a *app) registerProgress(root *cobra.Command) {
	when := ""
	choose(root.PersistentFlags(), &when, "progress", "auto", "`when` to show progress on standard error: auto, on a terminal; always; never", "auto", "always", "never")
	complete(root, "progress", noFile, func() []string { return []string{"auto", "always", "never"} })
	root.PersistentPreRun = func(*cobra.Command, []string) {
		if when != "auto" {
			a.ErrTTY = when == "always"
		}
	}
}

// showProgress shows how far an analysis has come as [app.showLine] does.
func (a *app) showProgress(p *engine.Progress) (stop func()) {
	return a.showLine(progressAfter, func(elapsed time.Duration) string {
		return progressLine(p.Bytes.Load(), p.Total.Load(), p.Packets.Load(), elapsed)
	})
}

// showLine shows a line on standard error after some time and updates it, if standard error is a
// terminal or --progress asks for it. The caller must call the function that it returns, which
// removes the line.
func (a *app) showLine(after time.Duration, line func(elapsed time.Duration) string) (stop func()) {
	if !a.ErrTTY {
		return func() {}
	}
	start, quit := a.Now(), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		defer crash.Catch()
		shown := after == 0 // such a line is removed in any case
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				if shown {
					fmt.Fprint(a.Err, "\r\x1b[K")
				}
				return
			case <-tick.C:
				if elapsed := a.Now().Sub(start); elapsed >= after {
					fmt.Fprint(a.Err, "\r\x1b[K"+line(elapsed))
					shown = true
				}
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}

// progressLine returns how much was read, how fast, and how long the rest will take at that
// speed. It fits into 80 columns.
func progressLine(bytes, total, packets int64, elapsed time.Duration) string {
	line := fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	if total > 0 {
		line = fmt.Sprintf("%.1f of %.1f MB", float64(bytes)/1e6, float64(total)/1e6)
	}
	return fmt.Sprintf("%s, %.0f packets/s%s", line, float64(packets)/elapsed.Seconds(), left(bytes, total, elapsed))
}

// showRuns shows how many runs are done as [app.showLine] does.
func (a *app) showRuns(done *atomic.Int64, of int) (stop func()) {
	return a.showLine(0, func(elapsed time.Duration) string {
		return fmt.Sprintf("%d of %d runs%s", done.Load(), of, left(done.Load(), int64(of), elapsed))
	})
}

// left says how long the rest takes at the speed until now.
func left(done, of int64, elapsed time.Duration) string {
	if done <= 0 || done >= of {
		return ""
	}
	rest := time.Duration(float64(elapsed) * float64(of-done) / float64(done))
	return fmt.Sprintf(", %v left", rest.Round(time.Second))
}
