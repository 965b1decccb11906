package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

func TestProgressOnATerminalOrAskedForAndOnlyWhenItLasts(t *testing.T) {
	for _, c := range []struct {
		name string
		tty  bool
		flag string
		step time.Duration // by which the clock advances at each look
		want bool
	}{
		{"long work, terminal", true, "--progress=auto", 2 * time.Second, true},
		{"long work, no terminal", false, "--progress=auto", 2 * time.Second, false},
		{"short work, terminal", true, "--progress=auto", 0, false},
		{"long work, no terminal, asked for", false, "--progress=always", 2 * time.Second, true},
		{"long work, terminal, not wanted", true, "--progress=never", 2 * time.Second, false},
	} {
		now := time.Unix(0, 0)
		seen := make(chan struct{}, 1)
		errs := &signalling{seen: seen}
		s := cli.Streams{Out: io.Discard, Err: errs, ErrTTY: c.tty, Getenv: os.Getenv, Now: func() time.Time {
			now = now.Add(c.step)
			return now
		}}
		cli.Main([]string{"analyze", "-", c.flag}, s, cli.Engine{Stored: func(_ context.Context, o engine.Options) (*report.Stored, error) {
			o.Progress.Bytes.Store(50e6)
			o.Progress.Total.Store(200e6)
			o.Progress.Packets.Store(4e6)
			if c.want {
				<-seen // the line must come, or the test hangs
			}
			return report.Store(&report.Document{})
		}}, "")
		text := errs.String()
		if c.want {
			// 50 of 200 MB in 2 s: 4e6 packets / 2 s, and 150 MB at 25 MB/s are 6 s.
			want := "\r\x1b[K50.0 of 200.0 MB, 2000000 packets/s, 6s left"
			assert.Check(t, strings.HasPrefix(text, want), "%s: %q, want %q", c.name, text, want)
			assert.Check(t, strings.HasSuffix(text, "\r\x1b[K"), "%s: the line was left behind: %q", c.name, text)
		} else if text != "" {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// signalling is a buffer that tells when something was written. The program
// writes from one goroutine at a time and has ended when the test reads.
type signalling struct {
	bytes.Buffer
	seen chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	n, err := s.Buffer.Write(p)
	select {
	case s.seen <- struct{}{}:
	default:
	}
	return n, err
}
