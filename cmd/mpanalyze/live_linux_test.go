package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// patience is how long a test waits for what a program shows.
const patience = time.Minute

// aTerminal is a pseudo-terminal and what a program wrote to it.
type aTerminal struct {
	master, slave *os.File

	lock sync.Mutex
	text bytes.Buffer
}

func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
		t.Skipf("no pseudo-terminal here: %v", errno)
	}
}

// openTerminal returns a pseudo-terminal of a size.
func openTerminal(t *testing.T, columns, rows uint16) *aTerminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	var unlock, number int32
	ioctl(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	ioctl(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	a := &aTerminal{master: master, slave: slave}
	a.resize(t, columns, rows)
	go func() {
		var b [4096]byte
		for {
			n, err := master.Read(b[:])
			a.lock.Lock()
			a.text.Write(b[:n])
			a.lock.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { slave.Close(); master.Close() })
	return a
}

func (a *aTerminal) resize(t *testing.T, columns, rows uint16) {
	size := [4]uint16{rows, columns}
	ioctl(t, a.slave, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

// modes returns how the terminal treats what it gets.
func (a *aTerminal) modes(t *testing.T) (m syscall.Termios) {
	ioctl(t, a.slave, syscall.TCGETS, unsafe.Pointer(&m))
	return m
}

func (a *aTerminal) written() string {
	a.lock.Lock()
	defer a.lock.Unlock()
	return a.text.String()
}

// wait waits until the program has written a text.
func (a *aTerminal) wait(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(a.written(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %q in\n%q", text, a.written())
		}
	}
}

// waitSmaller waits until a screen has at most so many columns and rows. The screens before it
// have more.
func (a *aTerminal) waitSmaller(t *testing.T, columns, rows int) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		all := a.screens()
		if latest := all[len(all)-1]; strings.Contains(latest, "\x1b[J") && tooLarge(latest, columns, rows) == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("no screen of %d columns and %d rows in\n%q", columns, rows, a.written())
		}
	}
}

// lastInterval is the end of the interval that has the last packet of liveCapture, as the
// screen shows it.
func lastInterval(t *testing.T, length string) string {
	t.Helper()
	lines, err := command(t, "live", "--json", "--interval", length, liveCapture).Output()
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(lines)), "\n")
	var last struct{ Start time.Time }
	if err := json.Unmarshal([]byte(all[len(all)-1]), &last); err != nil {
		t.Fatal(err)
	}
	long, err := time.ParseDuration(length)
	if err != nil {
		t.Fatal(err)
	}
	return last.Start.Add(long).Format("15:04:05.0 UTC")
}

// settle waits until everything that the program wrote before it ended has been read.
func (a *aTerminal) settle() {
	for n := -1; n != len(a.written()); time.Sleep(50 * time.Millisecond) {
		n = len(a.written())
	}
}

// screens returns the screens that were drawn.
func (a *aTerminal) screens() []string { return strings.Split(a.written(), "\x1b[H")[1:] }

// start starts the program with the terminal as its own, its input a pipe.
func (a *aTerminal) start(t *testing.T, in io.Reader, args ...string) *exec.Cmd {
	t.Helper()
	c := command(t, args...)
	c.Env = append(c.Env, "TERM=xterm")
	c.Stdin, c.Stdout, c.Stderr = in, a.slave, a.slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

const liveCapture = "../../testdata/sessions/v1/b-lte-cubic/server.pcap.zst"

// TestLiveOnTerminal: there is one screen, which follows the size of the terminal. The key q ends
// the program with the output of analyze, and the terminal is as before.
func TestLiveOnTerminal(t *testing.T) {
	a := openTerminal(t, 100, 30)
	before := a.modes(t)
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	c := a.start(t, pipe, "live", "-", "--interval", "500ms")
	a.wait(t, "waits for packets")
	if raw := a.modes(t); raw.Lflag&(syscall.ICANON|syscall.ECHO) != 0 {
		t.Error("keys wait for a line, or are shown")
	}
	file, err := os.ReadFile(liveCapture)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(file); err != nil { // and the pipe stays open
		t.Fatal(err)
	}
	a.wait(t, "all paths")
	a.resize(t, 70, 20)
	a.waitSmaller(t, 70, 20)
	a.wait(t, lastInterval(t, "500ms")) // so that all is read
	a.master.WriteString("q")
	if s := status(t, c); s != 0 {
		t.Errorf("status %d:\n%s", s, a.written())
	}
	w.Close()
	a.settle()
	if after := a.modes(t); after != before {
		t.Errorf("the terminal is not as it was: %+v, %+v", before, after)
	}
	screen, rest, found := strings.Cut(a.written(), "\x1b[?25h\x1b[?1049l")
	if !found || !strings.HasPrefix(screen, "\x1b[?1049h\x1b[?25l") {
		t.Fatalf("the screen does not begin and end:\n%q", a.written())
	}
	if why := tooLarge(a.screens()[0], 100, 30); why != "" {
		t.Error(why)
	}
	want := command(t, "analyze", "--width", "70", "-")
	want.Env, want.Stdin = append(want.Env, "TERM=xterm"), bytes.NewReader(file)
	text, err := want.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(strings.ReplaceAll(rest, "\r\n", "\n"), "")
	if got != string(text) {
		t.Errorf("after q:\n%s\nanalyze:\n%s", got, text)
	}
}

// tooLarge says in what a screen exceeds a size; empty where it does not.
func tooLarge(screen string, columns, rows int) string {
	screen, _, _ = strings.Cut(screen, "\x1b[J")
	lines := strings.Split(screen, "\r\n")
	if len(lines) > rows {
		return fmt.Sprintf("%d rows of %d", len(lines), rows)
	}
	for _, line := range lines {
		line = regexp.MustCompile("\x1b\\[[0-9;]*[a-zA-Z]").ReplaceAllString(line, "")
		if n := len([]rune(line)); n > columns {
			return fmt.Sprintf("%d columns of %d: %q", n, columns, line)
		}
	}
	return ""
}

// TestLiveColors: a terminal has colours unless NO_COLOR is set.
func TestLiveColors(t *testing.T) {
	for _, env := range []string{"", "NO_COLOR=1"} {
		a := openTerminal(t, 80, 24)
		c := command(t, "live", liveCapture)
		c.Env = slices.DeleteFunc(append(c.Env, "TERM=xterm"), func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") })
		if env != "" {
			c.Env = append(c.Env, env)
		}
		c.Stdout, c.Stderr = a.slave, a.slave
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if s := status(t, c); s != 0 {
			t.Fatalf("status %d", s)
		}
		a.wait(t, "1049l")
		if colored := regexp.MustCompile("\x1b\\[[0-9;]+m").MatchString(a.written()); colored != (env == "") {
			t.Errorf("%q: colours %v", env, colored)
		}
	}
}

// TestLiveInterrupted: after a signal or Ctrl-C, the terminal is as before, the report is
// printed, and a message names the interrupt.
func TestLiveInterrupted(t *testing.T) {
	for name, end := range map[string]func(*aTerminal, *os.Process){
		"SIGINT":  func(_ *aTerminal, p *os.Process) { p.Signal(os.Interrupt) },
		"SIGTERM": func(_ *aTerminal, p *os.Process) { p.Signal(syscall.SIGTERM) },
		"Ctrl-C":  func(a *aTerminal, _ *os.Process) { a.master.WriteString("\x03") },
	} {
		a := openTerminal(t, 80, 24)
		before := a.modes(t)
		c := a.start(t, nil, "live", "--pace", "1", "--interval", "100ms", liveCapture)
		a.wait(t, "all paths")
		end(a, c.Process)
		if s := status(t, c); s != 2 {
			t.Errorf("%s: status %d", name, s)
		}
		a.wait(t, "mpanalyze: interrupted")
		a.settle()
		_, rest, found := strings.Cut(a.written(), "\x1b[?25h\x1b[?1049l")
		if after := a.modes(t); after != before || !found || !strings.Contains(rest, "connection 0") {
			t.Errorf("%s: the terminal is not as it was, or there is no report: %q", name, rest)
		}
	}
}

// TestLiveCaptureFails: the program that captures from the interface ends by itself. What was
// captured before is reported; the message says why there is no more.
func TestLiveCaptureFails(t *testing.T) {
	capture, err := filepath.Abs(liveCapture)
	if err != nil {
		t.Fatal(err)
	}
	for before, want := range map[string]int{`cat "$0.pcap"`: 2, "true": 1} {
		dir := t.TempDir()
		if err := os.Symlink(capture, filepath.Join(dir, "tcpdump.pcap")); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\n" + before + "\necho 'tcpdump: pcap_loop: The interface disappeared' >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, "tcpdump"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		c := command(t, "live", "--json", "--interface", "x")
		c.Env = append(c.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		var out, errs bytes.Buffer
		c.Stdout, c.Stderr = &out, &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if s := status(t, c); s != want || errs.String() != "mpanalyze: tcpdump: pcap_loop: The interface disappeared\n" || (out.Len() > 0) != (want == 2) {
			t.Errorf("%s: status %d, %d bytes, %s", before, s, out.Len(), errs.String())
		}
	}
}
