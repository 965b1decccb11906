package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
)

// sniffer is another program, tcpdump or dumpcap, that captures from an interface into a pipe.
// So mpanalyze works without libpcap, and only that program needs the right to capture.
type sniffer struct {
	name string
	cmd  *exec.Cmd
	out  *bufio.Reader // the capture
	said tail          // its messages
}

// tail keeps the end of what is written to it, 4 kB at most.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-4096):]
	return len(p), nil
}

// snifferGrace is the time that the program has to end after it was asked to end.
const snifferGrace = 2 * time.Second

// snifferCommand returns the command that captures from an interface. tcpdump becomes the user, if
// there is one: then this program may end it after it became that user itself. dumpcap cannot.
func snifferCommand(look func(string) (string, error), o *liveOptions) (name string, args []string, err error) {
	common := []string{"-i", o.iface, "-s", strconv.Itoa(snapLen), "-w", "-"}
	var user []string
	if o.user != "" {
		user = []string{"-Z", o.user}
	}
	if path, err := look("tcpdump"); err == nil { // to it, as to dumpcap, an empty filter is none
		return path, slices.Concat(common, []string{"-n", "-U", "--immediate-mode"}, user, []string{o.eo.Filter}), nil
	}
	if user != nil {
		return "", nil, errors.New("--user needs tcpdump, which is not in PATH: install it")
	}
	if path, err := look("dumpcap"); err == nil {
		return path, append(common, "-q", "-P", "-f", o.eo.Filter), nil
	}
	return "", nil, errors.New("--interface needs tcpdump or dumpcap, and neither is in PATH: install one, or pipe a capture in, as in ssh HOST tcpdump -i any -U -w - tcp | mpanalyze live -")
}

// startSniffer starts the program. It is asked to end when ctx ends.
func startSniffer(ctx context.Context, o *liveOptions) (*sniffer, error) {
	if strings.HasPrefix(o.iface, "-") {
		return nil, fmt.Errorf("--interface %s: want the name of an interface, as ip link shows it", o.iface)
	}
	name, args, err := snifferCommand(exec.LookPath, o)
	if err != nil {
		return nil, err
	}
	s := &sniffer{name: name, cmd: exec.CommandContext(ctx, name, args...)}
	s.cmd.Stderr = &s.said
	s.cmd.WaitDelay = snifferGrace
	// Windows has no such signal. There the end of the delay ends the program.
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	s.out = bufio.NewReader(out)
	return s, nil
}

// finish ends the program. It writes to w how many packets the kernel dropped. It returns why
// the program could not capture, or else met, the error of the analysis.
func (s *sniffer) finish(ctx context.Context, w io.Writer, stop context.CancelCauseFunc, met error) error {
	cause := context.Cause(ctx) // not nil if the user ended it
	if cause != nil && met == nil && !errors.Is(cause, engine.ErrStopped) {
		met = &engine.DamageError{Err: context.Canceled} // the program saw the interrupt first, and its capture ended
	}
	stop(engine.ErrStopped)
	io.Copy(io.Discard, s.out) // so that the program does not wait for room in the pipe
	_ = s.cmd.Wait()           // how it ended is in its state
	said := string(s.said)
	if n := dropped(said); n > 0 {
		fmt.Fprintf(w, "mpanalyze: the kernel dropped %d packets that the capture lacks: capture less (--filter)\n", n)
	}
	var empty *capture.NotCaptureError
	nothing := errors.As(met, &empty) // the program ended before it wrote anything
	if cause != nil || met != nil && !nothing && !engine.Damaged(met) {
		return met
	}
	// An interface has no end: whatever ended the program, packets may be missing behind it.
	status, text := ExitDamaged, "it was ended, and not by mpanalyze; what it captured until then was read"
	if exit := s.cmd.ProcessState; exit.Exited() && !exit.Success() {
		if text = complaint(said) + captureRemedy(said); nothing {
			status = ExitFailed
		}
	} else if !exit.Success() {
		text = exit.String() + ": " + text
	}
	return &statusError{status, filepath.Base(s.name) + ": " + text}
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
