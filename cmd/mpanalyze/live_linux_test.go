package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"gotest.tools/v3/assert"
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
	assert.NilError(t, err)
	all := strings.Split(strings.TrimSpace(string(lines)), "\n")
	var last struct{ Start time.Time }
	assert.NilError(t, json.Unmarshal([]byte(all[len(all)-1]), &last))
	long, err := time.ParseDuration(length)
	assert.NilError(t, err)
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
	assert.NilError(t, c.Start())
	return c
}

const liveCapture = "../../testdata/sessions/v1/b-lte-cubic/server.pcap.zst"

// TestLiveOnTerminal: there is one screen, which follows the size of the terminal. The key q ends
// the program with the output of analyze, and the terminal is as before.
func TestLiveOnTerminal(t *testing.T) {
	a := openTerminal(t, 100, 30)
	before := a.modes(t)
	pipe, w, err := os.Pipe()
	assert.NilError(t, err)
	defer pipe.Close()
	c := a.start(t, pipe, "live", "-", "--interval", "500ms")
	a.wait(t, "waits for packets")
	raw := a.modes(t)
	assert.Check(t, raw.Lflag&(syscall.ICANON|syscall.ECHO) == 0, "keys wait for a line, or are shown")
	file, err := os.ReadFile(liveCapture)
	assert.NilError(t, err)
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
	after := a.modes(t)
	assert.Check(t, after == before, "the terminal is not as it was: %+v, %+v", before, after)
	screen, rest, found := strings.Cut(a.written(), "\x1b[?25h\x1b[?1049l")
	if !found || !strings.HasPrefix(screen, "\x1b[?1049h\x1b[?25l") {
		t.Fatalf("the screen does not begin and end:\n%q", a.written())
	}
	why := tooLarge(a.screens()[0], 100, 30)
	assert.Check(t, why == "", "%v", why)
	want := command(t, "analyze", "--width", "70", "-")
	want.Env, want.Stdin = append(want.Env, "TERM=xterm"), bytes.NewReader(file)
	text, err := want.Output()
	assert.NilError(t, err)
	got := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(strings.ReplaceAll(rest, "\r\n", "\n"), "")
	assert.Check(t, got == string(text), "after q:\n%s\nanalyze:\n%s", got, text)
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

// TestLiveInterrupted: after a signal or Ctrl-C, the terminal is as before, the report is
// printed, and a message names the interrupt.
func TestLiveInterrupted(t *testing.T) {
	for name, end := range map[string]func(*aTerminal, *os.Process){
		"SIGINT":  func(_ *aTerminal, p *os.Process) { p.Signal(os.Interrupt) },
		"SIGTERM": func(_ *aTerminal, p *os.Process) { p.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(_ *aTerminal, p *os.Process) { p.Signal(syscall.SIGHUP) },
		"Ctrl-C":  func(a *aTerminal, _ *os.Process) { a.master.WriteString("\x03") },
	} {
		a := openTerminal(t, 80, 24)
		before := a.modes(t)
		c := a.start(t, nil, "live", "--pace", "1", "--interval", "100ms", liveCapture)
		a.wait(t, "all paths")
		end(a, c.Process)
		s := status(t, c)
		if name == "SIGTERM" { // how systemd ends a service
			assert.Check(t, s == 0, "%s: status %d", name, s)
			a.wait(t, "connection 0")
		} else {
			assert.Check(t, s == 2, "%s: status %d", name, s)
			a.wait(t, "mpanalyze: interrupted")
		}
		a.settle()
		_, rest, found := strings.Cut(a.written(), "\x1b[?25h\x1b[?1049l")
		if after := a.modes(t); after != before || !found || !strings.Contains(rest, "connection 0") {
			t.Errorf("%s: the terminal is not as it was, or there is no report: %q", name, rest)
		}
	}
}

// withTcpdump returns a command of live whose tcpdump is a script. The script finds a capture at
// "$0.pcap".
func withTcpdump(t *testing.T, script string, flags ...string) *exec.Cmd {
	t.Helper()
	capture, err := filepath.Abs(liveCapture)
	assert.NilError(t, err)
	dir := t.TempDir()
	assert.NilError(t, os.Symlink(capture, filepath.Join(dir, "tcpdump.pcap")))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "tcpdump"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	c := command(t, append([]string{"live", "--json", "--interface", "x"}, flags...)...)
	c.Env = append(c.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	return c
}

// TestLiveCaptureFails: the program that captures from the interface ends, and not because it was
// asked to. What was captured before is reported; the message says why there is no more. Death by
// a signal never says that nothing could be analysed: nobody knows what would have come.
func TestLiveCaptureFails(t *testing.T) {
	const gone, ended = "pcap_loop: The interface disappeared", "it was ended, and not by mpanalyze; what it captured until then was read"
	for _, c := range []struct {
		before, end string
		status      int
		said        string
	}{
		{`cat "$0.pcap"`, "echo 'tcpdump: pcap_loop: The interface disappeared' >&2; exit 1", 2, gone},
		{"true", "echo 'tcpdump: pcap_loop: The interface disappeared' >&2; exit 1", 1, gone},
		{`cat "$0.pcap"`, "kill -KILL $$", 2, "signal: killed: " + ended},
		{"true", "kill -KILL $$", 2, "signal: killed: " + ended},
		{`head -c 300000 "$0.pcap"`, "kill -TERM $$", 2, "signal: terminated: " + ended},
		{`cat "$0.pcap"`, "exit 0", 2, ended}, // as tcpdump after SIGTERM
	} {
		var out, errs bytes.Buffer
		cmd := withTcpdump(t, c.before+"\n"+c.end)
		cmd.Stdout, cmd.Stderr = &out, &errs
		assert.NilError(t, cmd.Start())
		if s := status(t, cmd); s != c.status || errs.String() != "mpanalyze: tcpdump: "+c.said+"\n" || (out.Len() > 0) != (c.before != "true") {
			t.Errorf("%s, %s: status %d, %d bytes, %s", c.before, c.end, s, out.Len(), errs.String())
		}
	}
}

// TestSignalEndsTcpdump: whatever signal ends live, its tcpdump does not stay behind.
func TestSignalEndsTcpdump(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		at := filepath.Join(t.TempDir(), "pid")
		c := withTcpdump(t, `cat "$0.pcap"; echo $$ > `+at+`.new; mv `+at+`.new `+at+`; exec sleep 600`)
		var errs bytes.Buffer
		c.Stderr = &errs
		assert.NilError(t, c.Start())
		child, err := strconv.Atoi(strings.TrimSpace(string(waitFile(t, at))))
		assert.NilError(t, err)
		c.Process.Signal(s)
		got := status(t, c)
		if s == syscall.SIGTERM { // how systemd ends a service
			assert.Check(t, got == 0 && errs.Len() == 0, "%v: status %d, %s", s, got, errs.String())
		} else {
			assert.Check(t, got == 2 && strings.Contains(errs.String(), "interrupted"), "%v: status %d, %s", s, got, errs.String())
		}
		if err := syscall.Kill(child, 0); err != syscall.ESRCH {
			t.Errorf("%v: tcpdump is still there: %v", s, err)
			syscall.Kill(child, syscall.SIGKILL)
		}
	}
}

// waitFile waits for a file, and returns what it holds.
func waitFile(t *testing.T, name string) []byte {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(name); err == nil {
			return text
		}
		assert.Assert(t, !time.Now().After(end), "no %s", name)
	}
}

// shared is a buffer that several goroutines use.
type shared struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.b.String()
}

// TestLiveAsUser: live and tcpdump become the user that is named, the file for Prometheus is theirs,
// and one signal still ends both.
func TestLiveAsUser(t *testing.T) {
	nobody, err := user.Lookup("nobody")
	if _, missing := exec.LookPath("tcpdump"); err != nil || missing != nil || os.Geteuid() != 0 {
		t.Skip("needs root, tcpdump and the user nobody")
	}
	uid, err := strconv.Atoi(nobody.Uid)
	assert.NilError(t, err)
	dir, err := os.MkdirTemp("", "mpanalyze-user-") // not below a directory of root alone
	assert.NilError(t, err)
	defer os.RemoveAll(dir)
	assert.NilError(t, os.Chown(dir, uid, -1))
	file := filepath.Join(dir, "figures.prom")
	c := command(t, "live", "--json", "--interface", "lo", "--interval", "100ms", "--user", "nobody", "--metrics-file", file)
	errs := &shared{}
	c.Stderr = errs
	assert.NilError(t, c.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Wait()
	}()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	defer listener.Close()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "mpanalyze_interval_seconds") {
			break
		}
		select {
		case <-done:
			t.Skipf("tcpdump cannot capture here: %s", errs)
		default:
		}
		assert.Assert(t, !time.Now().After(end), "no %s: %s", file, errs)
		if one, err := net.Dial("tcp", listener.Addr().String()); err == nil {
			one.Close()
		}
	}
	about, err := os.Stat(file)
	assert.NilError(t, err)
	if owner := about.Sys().(*syscall.Stat_t).Uid; int(owner) != uid || about.Mode().Perm() != 0o644 {
		t.Errorf("the file has the owner %d and the mode %v", owner, about.Mode())
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", c.Process.Pid, c.Process.Pid))
	assert.NilError(t, err)
	ids := append(strings.Fields(string(children)), strconv.Itoa(c.Process.Pid))
	for _, id := range ids {
		text, err := os.ReadFile("/proc/" + id + "/status")
		if want := fmt.Sprintf("Uid:\t%d\t%[1]d\t%[1]d\t%[1]d\n", uid); err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "Groups:\t0 ") {
			t.Errorf("process %s is not of %d: %v\n%s", id, uid, err, text)
		}
	}
	c.Process.Signal(os.Interrupt)
	<-done
	s := c.ProcessState.ExitCode()
	assert.Check(t, s == 2 && !strings.Contains(errs.String(), "not permitted"), "status %d: %s", s, errs)
	for _, id := range ids[:len(ids)-1] {
		if _, err := os.Stat("/proc/" + id); err == nil {
			t.Errorf("tcpdump, %s, is still there", id)
		}
	}
}
