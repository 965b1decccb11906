package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"mpanalyze/internal/engine"
)

// sniffer is another program, tcpdump or dumpcap, that captures from an interface into a pipe.
// So mpanalyze works without libpcap, and only that program needs the right to capture.
type sniffer struct {
	name string
	cmd  *exec.Cmd
	out  io.ReadCloser // the capture
	said tail
}

// snifferGrace is the time that the program has to end after it was asked to end.
const snifferGrace = 2 * time.Second

// snifferCommand returns the command that captures from an interface.
func snifferCommand(look func(string) (string, error), iface, filter string, snapLen int) (name string, args []string, err error) {
	size := strconv.Itoa(snapLen)
	if path, err := look("tcpdump"); err == nil {
		args = []string{"-i", iface, "-s", size, "-n", "-U", "--immediate-mode", "-w", "-"}
		if filter != "" {
			args = append(args, filter)
		}
		return path, args, nil
	}
	if path, err := look("dumpcap"); err == nil {
		args = []string{"-i", iface, "-s", size, "-q", "-P", "-w", "-"}
		if filter != "" {
			args = append(args, "-f", filter)
		}
		return path, args, nil
	}
	return "", nil, errors.New("--interface needs tcpdump or dumpcap, and neither is in PATH: install one, or pipe a capture in, as in ssh HOST tcpdump -i any -U -w - tcp | mpanalyze live -")
}

// startSniffer starts the program. It is asked to end when ctx ends.
func startSniffer(ctx context.Context, iface, filter string, snapLen int) (*sniffer, error) {
	if strings.HasPrefix(iface, "-") {
		return nil, fmt.Errorf("--interface %s: want the name of an interface, as ip link shows it", iface)
	}
	name, args, err := snifferCommand(exec.LookPath, iface, filter, snapLen)
	if err != nil {
		return nil, err
	}
	s := &sniffer{name: name, cmd: exec.CommandContext(ctx, name, args...)}
	s.cmd.Stderr = &s.said
	s.cmd.WaitDelay = snifferGrace
	s.cmd.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return s.cmd.Process.Kill()
		}
		return s.cmd.Process.Signal(os.Interrupt)
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	return s, nil
}

// finish ends the program. It writes to w how many packets the kernel dropped. It returns why
// the program could not capture, or else met, the error of the analysis.
func (s *sniffer) finish(ctx context.Context, w io.Writer, stop context.CancelCauseFunc, met error) error {
	stopped := ctx.Err() != nil // by the user
	stop(engine.ErrStopped)
	io.Copy(io.Discard, s.out) // so that the program does not wait for room in the pipe
	failed := s.cmd.Wait()
	said := s.said.String()
	if n := dropped(said); n > 0 {
		fmt.Fprintf(w, "mpanalyze: the kernel dropped %d packets that the capture lacks: capture less (--filter, --snaplen)\n", n)
	}
	var exit *exec.ExitError
	if stopped || !errors.As(failed, &exit) || !exit.Exited() {
		return met
	}
	text := fmt.Sprintf("%s: %s%s", filepath.Base(s.name), complaint(said), captureRemedy(said))
	if met == nil { // packets came before
		return &statusError{ExitDamaged, text}
	}
	return errors.New(text)
}

// captureRemedy says what to do where there is no right to capture.
func captureRemedy(said string) string {
	low := strings.ToLower(said)
	if strings.Contains(low, "permission") || strings.Contains(low, "not permitted") {
		return "; run as root, or give the program the right: setcap cap_net_raw,cap_net_admin=eip PROGRAM"
	}
	return ""
}

// complaint returns the error messages of the program in one line, without its usual messages.
func complaint(said string) string {
	var lines []string
	for line := range strings.Lines(said) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "tcpdump: "), "dumpcap: ")
		if line != "" && !harmless().MatchString(line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "it ended without a capture"
	}
	return strings.Join(lines[:min(len(lines), 2)], " ")
}

// harmless matches the messages of tcpdump and dumpcap that report no error.
var harmless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(listening on|data link type|Capturing on|File: |Packets captured|Packets received|\d+ packets? )`)
})

// droppedLine matches the line with which tcpdump and dumpcap report dropped packets at the end.
var droppedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(\d+) packets? dropped by kernel|^Packets received/dropped on interface .*: \d+/(\d+)`)
})

// dropped returns how many packets the kernel could not hand over.
func dropped(said string) (n int64) {
	for _, m := range droppedLine().FindAllStringSubmatch(said, -1) {
		k, _ := strconv.ParseInt(m[1]+m[2], 10, 64)
		n += k
	}
	return n
}

// tail keeps the end of what is written to it.
type tail struct {
	lock sync.Mutex
	text []byte // bounded by maxTail
}

const maxTail = 4096

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.text = append(t.text, p...); len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(p), nil
}

// String returns what is kept.
func (t *tail) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return string(t.text)
}
