package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/term"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
)

// liveScreen shows intervals on a terminal. Between openScreen and close nothing else writes
// to the terminal.
type liveScreen struct {
	out    io.Writer
	fd     int // file descriptor of out
	source string
	color  bool
	keys   *os.File // the keyboard; nil where there is none
	before *term.State
	quit   chan struct{}

	lock          sync.Mutex // protects the fields below
	latest        *live.Interval
	history       live.History
	width, height int
	closed        bool
}

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // another screen, and no cursor (xterm)
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	// resizeEvery is how often the size of the terminal is read.
	resizeEvery = 200 * time.Millisecond
	// ctrlC is what a terminal in raw mode sends in place of an interrupt.
	ctrlC = 3
)

// openScreen opens a screen on the terminal of standard output. The keys q and Ctrl-C end the
// reading of packets.
func openScreen(a *app, color bool, source string, stop context.CancelCauseFunc) (*liveScreen, error) {
	file, ok := a.Out.(*os.File)
	if !ok {
		return nil, fmt.Errorf("standard output is no terminal: use --json")
	}
	s := &liveScreen{out: a.Out, fd: int(file.Fd()), source: source, color: color, quit: make(chan struct{})}
	if keys, err := os.OpenFile(keyboard(), os.O_RDWR, 0); err == nil {
		if s.before, err = term.MakeRaw(int(keys.Fd())); err == nil {
			s.keys = keys
			go s.readKeys(stop)
		}
	}
	crash.BeforeExit(s.close)
	if _, err := io.WriteString(s.out, enterScreen); err != nil {
		s.close()
		return nil, err
	}
	s.resize()
	go s.watchSize()
	return s, nil
}

// keyboard returns the file that the keys of the terminal come from, also where standard
// input is a pipe.
func keyboard() string {
	if runtime.GOOS == "windows" {
		return "CONIN$"
	}
	return "/dev/tty"
}

// readKeys waits for the keys that end the reading.
func (s *liveScreen) readKeys(stop context.CancelCauseFunc) {
	defer crash.Catch()
	var key [1]byte
	for {
		if n, err := s.keys.Read(key[:]); n == 0 || err != nil {
			return
		}
		switch key[0] {
		case 'q', 'Q':
			stop(engine.ErrStopped)
		case ctrlC:
			stop(context.Canceled)
		}
	}
}

// watchSize draws again when the size of the terminal changes. It reads the size regularly,
// because not every system has a signal for that.
func (s *liveScreen) watchSize() {
	defer crash.Catch()
	tick := time.NewTicker(resizeEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.quit:
			return
		case <-tick.C:
			s.resize()
		}
	}
}

// resize reads the size of the terminal, and draws again if the size has changed.
func (s *liveScreen) resize() {
	width, height, err := term.GetSize(s.fd)
	if err != nil || width < 1 || height < 1 {
		width, height = 80, 24
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if width != s.width || height != s.height {
		s.width, s.height = width, height
		s.draw()
	}
}

// columns returns the width of the terminal as it was last read.
func (s *liveScreen) columns() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.width
}

// show shows an interval.
func (s *liveScreen) show(v *live.Interval) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.latest = v
	s.history.Add(v)
	return s.draw()
}

// draw writes the whole screen at once. After each row it clears the rest of the line, so that
// nothing flickers. In raw mode a new line needs a carriage return.
func (s *liveScreen) draw() error {
	if s.closed {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("\x1b[H")
	rows := live.Screen(s.latest, &s.history, live.ScreenOptions{Width: s.width, Height: s.height, Color: s.color, Source: s.source})
	for i, row := range rows[:min(len(rows), s.height)] {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(row + "\x1b[K")
	}
	b.WriteString("\x1b[J")
	_, err := s.out.Write(b.Bytes())
	return err
}

// close gives the terminal back as it was. It may be called again.
func (s *liveScreen) close() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.quit)
	crash.BeforeExit(nil)
	io.WriteString(s.out, leaveScreen) // an error cannot be shown any more
	if s.keys != nil {
		term.Restore(int(s.keys.Fd()), s.before)
	}
}
