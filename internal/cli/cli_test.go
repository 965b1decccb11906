package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// TestFlagsReachTheEngine gives command lines and expects options.
func TestFlagsReachTheEngine(t *testing.T) {
	def := engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond, QoE: metrics.DefaultQoE}
	with := func(change func(*engine.Options)) engine.Options {
		o := def
		change(&o)
		return o
	}
	for _, c := range []struct {
		args string
		want engine.Options
	}{
		{"analyze -", def},
		{"analyze - --json --all --width 60 --no-color", def},
		{"analyze --filter tcp -", with(func(o *engine.Options) { o.Filter = "tcp" })},
		{"analyze - --decap --vantage middle", with(func(o *engine.Options) { o.Decap, o.Vantage = true, report.VantageMiddle })},
		{"analyze - --qoe-alpha 0.25 --qoe-beta 2 --qoe-gamma 0", with(func(o *engine.Options) { o.QoE = metrics.QoE{Alpha: 0.25, Beta: 2} })},
		{"analyze - --interval 0 --skip 3s", with(func(o *engine.Options) { o.Interval, o.Skip = 0, 3*time.Second })},
		{"analyze - --connection 7 --direction b2a", with(func(o *engine.Options) { o.Connection, o.Direction = 7, report.B2A })},
		{"analyze - --label 10.0.1.7=wifi --label ::ffff:10.0.1.8=x --label 2001:db8::1/32=lte=5g", with(func(o *engine.Options) {
			o.Labels = []engine.Label{
				{Prefix: netip.MustParsePrefix("10.0.1.7/32"), Name: "wifi"},
				{Prefix: netip.MustParsePrefix("10.0.1.8/32"), Name: "x"},
				{Prefix: netip.MustParsePrefix("2001:db8::/32"), Name: "lte=5g"},
			}
		})},
		{"connections - --vantage b", engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, Vantage: report.VantageB}},
		{"follow - --direction a2b", engine.Options{Paths: []string{"-"}, Direction: report.A2B}},
		{"follow - --direction b2a --connection 3 --sha256", engine.Options{Paths: []string{"-"}, Connection: 3, Direction: report.B2A}},
	} {
		var f fake
		if r := run(&f, nil, strings.Fields(c.args)...); r.code != cli.ExitOK {
			t.Errorf("%s: exit status %d: %s", c.args, r.code, r.err)
			continue
		}
		diff := cmp.Diff(c.want, f.asked[0],
			cmpopts.IgnoreFields(engine.Options{}, "Stdin", "Progress", "Series", "Rows"),
			cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }))
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

// TestBadFlagsStopBeforeTheEngine gives command lines that name no analysis.
func TestBadFlagsStopBeforeTheEngine(t *testing.T) {
	for _, c := range []struct{ args, message string }{
		{"analyze - --vantage c", `--vantage "c": want a, b, middle`},
		{"analyze - --direction up", `--direction "up": want a2b, b2a`},
		{"analyze - --skip -3s", "--skip -3s"},
		{"analyze - --qoe-alpha 1.5", "--qoe-alpha 1.5: want a part of the window, 0 to 1"},
		{"analyze - --qoe-alpha NaN", "--qoe-alpha NaN"},
		{"analyze - --qoe-beta -1", "--qoe-beta -1"},
		{"analyze - --qoe-gamma 2", "--qoe-gamma 2"},
		{"analyze - --series rtt,srt", `no series "srt"; did you mean srtt`},
		{"explain srtt holdegree", `no metric "holdegree"; did you mean hol_degree`},
		{"analyze - --connection -2", "--connection -2"},
		{"analyze - --color=sometimes", `--color "sometimes": want auto, always, never`},
		{"analyze - --width -1", "--width -1"},
		{"analyze - --label wifi", `label "wifi": want ADDRESS=NAME`},
		{"analyze - --label 10.0.0.1=", `label "10.0.0.1=": want ADDRESS=NAME`},
		{"connections - --label 10.0.0.300=x", `"10.0.0.300" is neither an address nor a subnet`},
		{"connections - --vantage c", "--vantage"},
		{"follow - --direction b2a --connection -1", "--connection -1"},
		{"follow - --direction b2a --label x", "label"},
		{"connections", "no capture given"},
		{"version x", "takes no argument"},
	} {
		var f fake
		r := run(&f, nil, strings.Fields(c.args)...)
		if r.code != cli.ExitFailed || !strings.Contains(r.err, c.message) || r.out != "" || len(f.asked) > 0 {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q, %d calls", c.args, r.code, r.out, r.err, len(f.asked))
		}
	}
}

func TestColor(t *testing.T) {
	env := func(key, value string) func(*cli.Streams) {
		return func(s *cli.Streams) {
			s.OutTTY = true
			s.Getenv = func(k string) string {
				if k == key {
					return value
				}
				return ""
			}
		}
	}
	for _, c := range []struct {
		name    string
		streams func(*cli.Streams)
		flag    string
		want    bool
	}{
		{"pipe", nil, "--color=auto", false},
		{"terminal", env("", ""), "--color=auto", true},
		{"NO_COLOR", env("NO_COLOR", "1"), "--color=auto", false},
		{"dumb terminal", env("TERM", "dumb"), "--color=auto", false},
		{"a wish beats NO_COLOR", env("NO_COLOR", "1"), "--color", true},
		{"never", env("", ""), "--color=never", false},
		{"no-color", env("", ""), "--no-color", false},
		{"a wish for a pipe", nil, "--color=always", true},
	} {
		r := run(new(fake), c.streams, "analyze", "-", c.flag)
		if got := strings.Contains(r.out, "\x1b["); got != c.want {
			t.Errorf("%s: colours %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWidth: the flag beats the terminal, and a pipe has no width.
func TestWidth(t *testing.T) {
	longest := func(r result) (n int) {
		for line := range strings.Lines(r.out) {
			n = max(n, len([]rune(line))-1)
		}
		return n
	}
	terminal := func(s *cli.Streams) { s.OutTTY, s.OutWidth = true, 60 }
	for _, c := range []struct {
		streams  func(*cli.Streams)
		args     []string
		min, max int
	}{
		{terminal, []string{"analyze", "-", "--no-color"}, 1, 60},
		{terminal, []string{"analyze", "-", "--no-color", "--width", "80"}, 61, 80},
		{nil, []string{"analyze", "-"}, 90, 1000},
	} {
		if n := longest(run(new(fake), c.streams, c.args...)); n < c.min || n > c.max {
			t.Errorf("%v: longest line %d, want %d to %d", c.args, n, c.min, c.max)
		}
	}
}

// broken is a pipe whose reader has left.
type broken struct{}

func (broken) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}
}

// TestBrokenPipe: a reader that has seen enough is no error, and costs no file
// that was asked for beside.
func TestBrokenPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	for _, args := range [][]string{
		{"analyze", "-"},
		{"analyze", "-", "--json"},
		{"analyze", "-", "--json=" + file},
		{"connections", "-"},
		{"follow", "-", "--direction", "b2a"},
		{"schema"},
	} {
		r := run(new(fake), func(s *cli.Streams) { s.Out = broken{} }, args...)
		if r.code != cli.ExitOK || r.err != "" {
			t.Errorf("%v: exit status %d, stderr %q", args, r.code, r.err)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestFollowSparesTheTerminal(t *testing.T) {
	terminal := func(s *cli.Streams) { s.OutTTY = true }
	if r := run(new(fake), terminal, "follow", "-", "--direction", "b2a"); r.code != cli.ExitFailed || r.out != "" {
		t.Errorf("exit status %d, stdout %q", r.code, r.out)
	}
	if r := run(new(fake), terminal, "follow", "-", "--direction", "b2a", "--sha256"); r.code != cli.ExitOK {
		t.Errorf("exit status %d: %s", r.code, r.err)
	}
}

// TestMessagesAreHarmless: a file name cannot drive the terminal.
func TestMessagesAreHarmless(t *testing.T) {
	r := run(new(fake), nil, "analyze", "\x1b]0;owned\x07.pcap")
	if r.code != cli.ExitFailed || strings.ContainsAny(r.err, "\x1b\x07") || !strings.Contains(r.err, `\x1b]0;owned\a.pcap`) {
		t.Errorf("exit status %d: %q", r.code, r.err)
	}
}

// TestInterrupted: what was read before the interrupt is reported.
func TestInterrupted(t *testing.T) {
	doc := &report.Document{Schema: report.SchemaName}
	for _, c := range []struct {
		doc  *report.Document
		err  error
		code cli.ExitCode
	}{
		{doc, &engine.DamageError{Err: context.Canceled}, cli.ExitDamaged},
		{nil, context.Canceled, cli.ExitFailed},
	} {
		var out, errs bytes.Buffer
		code := cli.Main([]string{"analyze", "-", "--json"}, cli.Streams{Out: &out, Err: &errs, Getenv: os.Getenv, Now: time.Now}, cli.Engine{
			Analyze: func(context.Context, engine.Options) (*report.Document, error) { return c.doc, c.err },
		}, "")
		if code != c.code || errs.String() != "mpanalyze: interrupted\n" || (out.Len() > 0) != (c.doc != nil) {
			t.Errorf("%v: exit status %d, stderr %q, %d bytes", c.err, code, errs.String(), out.Len())
		}
	}
}

// TestReportsValidate holds what analyze prints against what schema prints.
func TestReportsValidate(t *testing.T) {
	parse := func(text string) any {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", parse(run(new(fake), nil, "schema").out)); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(parse(run(new(fake), nil, "analyze", "-", "--json").out)); err != nil {
		t.Error(err)
	}
}

func TestProgressOnlyOnATerminalAndOnlyWhenItLasts(t *testing.T) {
	for _, c := range []struct {
		name string
		tty  bool
		step time.Duration // by which the clock advances at each look
		want bool
	}{
		{"long work, terminal", true, 2 * time.Second, true},
		{"long work, no terminal", false, 2 * time.Second, false},
		{"short work, terminal", true, 0, false},
	} {
		now := time.Unix(0, 0)
		seen := make(chan struct{}, 1)
		errs := &signalling{seen: seen}
		s := cli.Streams{Out: io.Discard, Err: errs, ErrTTY: c.tty, Getenv: os.Getenv, Now: func() time.Time {
			now = now.Add(c.step)
			return now
		}}
		cli.Main([]string{"analyze", "-"}, s, cli.Engine{Analyze: func(_ context.Context, o engine.Options) (*report.Document, error) {
			o.Progress.Bytes.Store(50e6)
			o.Progress.Total.Store(200e6)
			o.Progress.Packets.Store(4e6)
			if c.want {
				<-seen // the line must come, or the test hangs
			}
			return &report.Document{}, nil
		}}, "")
		text := errs.String()
		if c.want {
			// 50 of 200 MB in 2 s: 4e6 packets / 2 s, and 150 MB at 25 MB/s are 6 s.
			if want := "\r\x1b[K50.0 of 200.0 MB, 2000000 packets/s, 6s left"; !strings.HasPrefix(text, want) {
				t.Errorf("%s: %q, want %q", c.name, text, want)
			}
			if !strings.HasSuffix(text, "\r\x1b[K") {
				t.Errorf("%s: the line was left behind: %q", c.name, text)
			}
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

// TestHelpHasExamples: every command that reads captures shows how.
func TestHelpHasExamples(t *testing.T) {
	root := cli.NewRoot(cli.Streams{}, cli.Engine{}, "")
	for _, c := range root.Commands() {
		if c.Short == "" {
			t.Errorf("%s: no description", c.Name())
		}
		if c.Flags().Lookup("filter") != nil && !strings.Contains(c.Example, fmt.Sprintf("mpanalyze %s ", c.Name())) {
			t.Errorf("%s: no example", c.Name())
		}
	}
}
