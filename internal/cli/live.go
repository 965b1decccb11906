package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/live"
	"mpanalyze/internal/output"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
)

// liveOptions is the command line of live.
type liveOptions struct {
	source
	outputOptions
	iface      string
	interval   time.Duration
	top        int
	pace       float64
	json       jsonOutput
	lines      *os.File         // of JSON, beside what is shown; nil for none
	metrics    string           // file for Prometheus, "" for none
	exposition *live.Exposition // what stands in it
	user       string           // whom the program becomes, "" for nobody
	records    records
	followed   []*hosts.Follower // the records
	rows       live.KernelRows   // of these records
}

const (
	// snapLen is how many bytes of each packet a capture from an interface keeps: enough
	// for the headers, those of a tunnel too.
	snapLen = 256
	// maxLiveReport bounds the connections of the report at the end.
	maxLiveReport = 1_000_000
	// maxTop bounds the connections that an interval shows one by one.
	maxTop = 10_000
	// leastLength is the shortest interval.
	leastLength = 10 * time.Millisecond
	// mostLength is the longest.
	mostLength = 24 * time.Hour
)

func newLive(a *app) *cobra.Command {
	o := &liveOptions{}
	c := command("live", func(c *cobra.Command, args []string) error {
		switch {
		case o.iface != "" && len(args) > 0:
			return mistakes(c, fmt.Errorf("--interface takes no file, got %s", args[0]))
		case o.iface != "":
			return nil
		case len(args) == 0:
			return mistakes(c, errors.New("nothing to follow; name - for standard input, a file, or --interface NAME"))
		}
		return files(c, args)
	}, withOptions(a.live, o))
	o.source.register(c)
	o.outputOptions.register(c)
	registerKernel(c, &o.eo)
	o.records.register(c)
	f := c.Flags()
	f.StringVarP(&o.iface, "interface", "i", "", "capture from the network interface `NAME`, any for all, with tcpdump or dumpcap")
	f.DurationVar(&o.interval, "interval", time.Second, "length of an interval")
	f.IntVar(&o.top, "top", 20, "how many of the busiest connections to show; the others are counted")
	f.Float64Var(&o.pace, "pace", 0, "with files: speed of replay, 1 for the speed of the capture; default: as fast as they can be read")
	o.json.register(c, "a line of JSON for each interval")
	f.StringVar(&o.metrics, "metrics-file", "", "write the figures of each interval for Prometheus to `FILE`, named *.prom, which the textfile collector of node_exporter reads")
	writes(c, "metrics-file")
	f.StringVar(&o.user, "user", "", "with --interface, as root: become the user `NAME` when the capture has begun, as tcpdump -Z does")
	return c
}

// check refuses impossible values.
func (o *liveOptions) check(c *cobra.Command, args []string) error {
	pipe := o.iface != "" || len(args) == 1 && args[0] == "-"
	return errors.Join(
		o.outputOptions.check(),
		refuse(o.interval < leastLength || o.interval > mostLength, "--interval %v: want %v to %v", o.interval, leastLength, mostLength),
		refuse(o.top < 1 || o.top > maxTop, "--top %d: want a number from 1 to %d", o.top, maxTop),
		refuse(!(o.pace >= 0) || math.IsInf(o.pace, 0) || o.pace > 0 && o.pace < 1e-6, "--pace %v: want a number above 0", o.pace),
		refuse(o.metrics != "" && !strings.HasSuffix(o.metrics, ".prom"), "--metrics-file %s: want a name that ends in .prom: node_exporter reads no other file", o.metrics),
		refuse(o.iface == "" && o.user != "", "--user goes with --interface: nothing else needs root"),
		refuse(o.pace > 0 && pipe, "--pace is for files: what comes through a pipe has a pace of its own"))
}

func (a *app) live(c *cobra.Command, o *liveOptions, args []string) error {
	if err := o.check(c, args); err != nil {
		return mistakes(c, err)
	}
	name := strings.Join(args, " ")
	if o.iface != "" {
		args, name = []string{"-"}, o.iface
	} else if args[0] == "-" {
		name = "standard input"
		if a.InTTY {
			return errors.New("standard input is a terminal: pipe a capture into it, as in tcpdump -i any -U -w - tcp | mpanalyze live -")
		}
	}
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	become := func() error { return nil }
	if o.user != "" {
		if become, err = userNamed(o.user); err != nil {
			return mistakes(c, err)
		}
	}
	var named engine.Options
	if err := o.records.apply(&named); err != nil {
		return mistakes(c, err)
	}
	for _, r := range named.Evidence {
		f, err := hosts.Follow(r.Path)
		if err != nil {
			return err
		}
		o.followed = append(o.followed, f)
	}
	eo.Detail = report.WithData
	if o.json != "" && o.json != "-" {
		if o.lines, err = os.Create(string(o.json)); err != nil {
			return err
		}
		defer o.lines.Close()
	}
	ctx, stop := context.WithCancelCause(c.Context())
	defer stop(nil)
	child := (*sniffer)(nil)
	if o.iface != "" {
		if child, err = startSniffer(ctx, o); err != nil {
			return err
		}
		eo.Stdin, eo.Filter = child.out, ""
		_, _ = child.out.Peek(1) // tcpdump writes once it has the interface, and has become the user
	}
	o.exposition = live.NewExposition(a.programVersion())
	if err = become(); err == nil && o.metrics != "" { // before the first packet
		err = output.Write(o.metrics, o.exposition.Write)
	}
	if err == nil {
		err = a.showLive(ctx, stop, eo, o, name)
	}
	if child != nil {
		err = child.finish(ctx, a.Err, stop, err)
	}
	if terminated(c.Context()) && errors.Is(err, context.Canceled) {
		return nil // how systemd stops a service
	}
	return err
}

// terminated reports whether a context ended with SIGTERM. Only the text of the cause says which
// signal it was ([signal.NotifyContext]).
func terminated(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()+" ")
}

// showLive follows the captures on a screen or as lines of JSON.
func (a *app) showLive(ctx context.Context, stop context.CancelCauseFunc, eo engine.Options, o *liveOptions, name string) error {
	l := engine.LiveOptions{Interval: o.interval, Top: o.top, Pace: o.pace, Now: a.Now}
	if !a.OutTTY || o.json == "-" {
		l.Show = func(v *live.Interval) error {
			return o.show(v, func(v *live.Interval) error { return live.Write(a.Out, v) })
		}
		s, _, err := a.engine.Live(ctx, eo, l)
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	screen, err := openScreen(a, o.outputOptions.options(&a.Streams).Color, plaintext.Clean(name), stop)
	if err != nil {
		return err
	}
	defer screen.close()
	context.AfterFunc(ctx, screen.close) // so that a further interrupt ends the program
	l.Keep = maxLiveReport
	l.Show = func(v *live.Interval) error { return o.show(v, screen.show) }
	s, left, err := a.engine.Live(ctx, eo, l)
	screen.close()
	a.OutWidth = screen.options.Width // it may have changed
	if s == nil {
		if errors.Is(err, engine.ErrStopped) {
			_, err = io.WriteString(a.Err, "mpanalyze: no packet came\n")
		}
		return err
	}
	defer s.Close()
	if left > 0 {
		fmt.Fprintf(a.Err, "mpanalyze: the report tells of the first %d connections that ended, and not of %d others\n", maxLiveReport, left)
	}
	return errors.Join(err, plaintext.Summary(a.Out, s, o.outputOptions.options(&a.Streams)))
}

// show enters the rows of records up to the end of an interval into it. It writes the file for Prometheus, which appears
// whole, and the file of lines, which grows, and shows the interval.
func (o *liveOptions) show(v *live.Interval, show func(*live.Interval) error) (err error) {
	for _, f := range o.followed {
		err = errors.Join(err, f.Until(v.End(), o.rows.Take))
	}
	o.rows.Add(v)
	if o.metrics != "" {
		o.exposition.Add(v)
		err = errors.Join(err, output.Write(o.metrics, o.exposition.Write))
	}
	if o.lines != nil {
		err = errors.Join(err, live.Write(o.lines, v))
	}
	return errors.Join(err, show(v))
}

// userNamed returns a function by which the process becomes a user and gets the groups of that user.
var userNamed = func(string) (become func() error, err error) {
	return nil, errors.New("--user: this system has no root to give up")
}

// liveScreen shows intervals on a terminal. Between openScreen and close nothing else writes
// to the terminal.
type liveScreen struct {
	out     io.Writer
	fd      int // file descriptor of out
	options live.ScreenOptions
	history live.History
	restore func() // gives the keyboard back as it was

	lock   sync.Mutex // a signal closes the screen while another goroutine shows an interval
	closed bool
}

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // another screen, and no cursor (xterm)
	leaveScreen = "\x1b[?25h\x1b[?1049l"
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
	s := &liveScreen{out: a.Out, fd: int(file.Fd()), options: live.ScreenOptions{Color: color, Source: source}, restore: func() {}}
	if keys, err := os.OpenFile(keyboard(), os.O_RDWR, 0); err == nil {
		if before, err := term.MakeRaw(int(keys.Fd())); err == nil {
			s.restore = func() { _ = term.Restore(int(keys.Fd()), before) } // an error cannot be shown any more
			go s.readKeys(keys, stop)
		}
	}
	crash.BeforeExit(s.close)
	_, err := io.WriteString(s.out, enterScreen)
	if err == nil {
		err = s.show(nil)
	}
	if err != nil {
		s.close()
	}
	return s, err
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
func (s *liveScreen) readKeys(keys io.Reader, stop context.CancelCauseFunc) {
	defer crash.Catch()
	var key [1]byte
	for {
		if n, err := keys.Read(key[:]); n == 0 || err != nil {
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

// show shows an interval, nil before the first one, in the size that the terminal has now. It writes the whole screen
// at once. After each row it clears the rest of the line, so that nothing flickers. In raw mode a new line needs a carriage return.
func (s *liveScreen) show(v *live.Interval) (err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.closed {
		return nil
	}
	o := &s.options
	if o.Width, o.Height, err = term.GetSize(s.fd); err != nil || o.Width < 1 || o.Height < 1 {
		o.Width, o.Height = 80, 24
	}
	if v != nil {
		s.history.Add(v)
	}
	rows := live.Screen(v, s.history, *o)
	_, err = io.WriteString(s.out, "\x1b[H"+strings.Join(rows[:min(len(rows), o.Height)], "\x1b[K\r\n")+"\x1b[K\x1b[J")
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
	crash.BeforeExit(nil)
	io.WriteString(s.out, leaveScreen) // an error cannot be shown any more
	s.restore()
}
