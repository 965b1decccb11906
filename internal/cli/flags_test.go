package cli_test

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// TestFlagsReachTheEngine gives command lines and expects options.
func TestFlagsReachTheEngine(t *testing.T) {
	def := engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond, QoE: metrics.DefaultQoE, Detail: report.WithData, MaxState: 1 << 30, Version: "v0-test"}
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
		{"analyze - --json --all --width 60 --color=never", with(func(*engine.Options) {})},
		{"analyze - --json --hash auto", with(func(o *engine.Options) { o.HashLimit = 16 << 20 })},
		{"analyze --filter tcp -", with(func(o *engine.Options) { o.Filter = "tcp" })},
		{"analyze - --decap --vantage middle", with(func(o *engine.Options) { o.Decap, o.Vantage = true, report.VantageMiddle })},
		{"analyze - --qoe-alpha 2.5 --qoe-beta 1e6 --qoe-gamma 0", with(func(o *engine.Options) { o.QoE = metrics.QoE{Alpha: 2.5, Beta: 1e6} })},
		{"analyze - --bitrate 2.5M", with(func(o *engine.Options) { o.Player = metrics.Player{Bitrate: 2.5e6, Playout: 200 * time.Millisecond} })},
		{"analyze - --bitrate 500k --playout 2s --message-gap 30ms", with(func(o *engine.Options) {
			o.Player = metrics.Player{Bitrate: 5e5, Playout: 2 * time.Second, MessageGap: 30 * time.Millisecond}
		})},
		{"analyze - --fairness", with(func(o *engine.Options) { o.Fairness = true })},
		{"analyze - --kernel 6.12.48-1-lts", with(func(o *engine.Options) { o.Kernel = "6.12" })},
		{"analyze - --regret", with(func(o *engine.Options) { o.Regret = true })},
		{"why - --bitrate 4M --playout 1s --regret --fairness", engine.Options{
			Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE,
			Player: metrics.Player{Bitrate: 4e6, Playout: time.Second}, Regret: true, Fairness: true,
		}},
		{"why - --kernel omr", engine.Options{
			Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE, Kernel: "omr",
		}},
		{"report - -o DIR/y.html --kernel 0.9x", engine.Options{
			Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE, Kernel: "0.9x",
		}},
		{"report - -o DIR/x.html --bitrate 4M --regret --fairness", engine.Options{
			Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE,
			Player: metrics.Player{Bitrate: 4e6, Playout: 200 * time.Millisecond}, Regret: true, Fairness: true,
		}},
		{"analyze - --interval 0 --skip 3s", with(func(o *engine.Options) { o.Interval, o.Skip = 0, 3*time.Second })},
		{"analyze - --max-memory 256MiB", with(func(o *engine.Options) { o.MaxState = 256 << 20 })},
		{"analyze - --metrics all", def},
		{"analyze - --tcp summary", with(func(o *engine.Options) { o.Detail = report.Summary })},
		{"analyze - --tcp none", with(func(o *engine.Options) { o.Detail = report.NoTCP })},
		{"analyze - --metrics basic", with(func(o *engine.Options) { o.Omit = catalogue.AllFamilies })},
		{"analyze - --metrics order,delays --series path_delay,srtt --csv DIR", with(func(o *engine.Options) { o.Omit = catalogue.FamilyWindows | catalogue.FamilyVerdicts })},
		{"analyze - --metrics order --metrics delays --series rtt --series srtt --csv DIR", with(func(o *engine.Options) { o.Omit = catalogue.FamilyWindows | catalogue.FamilyVerdicts })},
		{"analyze - --metrics verdicts", with(func(o *engine.Options) { o.Omit = catalogue.FamilyOrder })},
		{"analyze - --connection 7 --direction b2a", with(func(o *engine.Options) { o.Connection, o.Direction = 7, report.B2A })},
		{"analyze - --label 10.0.1.7=wifi --label ::ffff:10.0.1.8=x --label 2001:db8::1/32=lte=5g", with(func(o *engine.Options) {
			o.Labels = []engine.Label{
				{Prefix: netip.MustParsePrefix("10.0.1.7/32"), Name: "wifi"},
				{Prefix: netip.MustParsePrefix("10.0.1.8/32"), Name: "x"},
				{Prefix: netip.MustParsePrefix("2001:db8::/32"), Name: "lte=5g"},
			}
		})},
		{"connections - --json", engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Interval: metrics.DefaultInterval, QoE: metrics.DefaultQoE}},
		{"connections - --vantage b", engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, MaxState: 1 << 30, Version: "v0-test", Vantage: report.VantageB, Detail: report.Lines}},
		{"follow - --direction a2b", engine.Options{Paths: []string{"-"}, MaxState: 1 << 30, Version: "v0-test", Direction: report.A2B}},
		{"follow - --direction b2a --connection 3 --sha256", engine.Options{Paths: []string{"-"}, MaxState: 1 << 30, Version: "v0-test", Connection: 3, Direction: report.B2A}},
	} {
		var f fake
		args := strings.ReplaceAll(c.args, "DIR", t.TempDir())
		if r := run(&f, nil, strings.Fields(args)...); r.code != cli.ExitOK {
			t.Errorf("%s: exit status %d: %s", c.args, r.code, r.err)
			continue
		}
		diff := cmp.Diff(c.want, f.asked[0],
			cmpopts.IgnoreFields(engine.Options{}, "Stdin", "Progress", "Series", "Rows", "Changes"), cmpopts.IgnoreUnexported(engine.Options{}),
			cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }))
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.args, diff)
		}
	}
}

// TestBadFlagsStopBeforeTheEngine gives invalid command lines.
func TestBadFlagsStopBeforeTheEngine(t *testing.T) {
	capture := filepath.Join(t.TempDir(), "x.pcap")
	if err := os.WriteFile(capture, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, message string }{
		{"analyze - --vantage c", `--vantage "c": want a, b or middle`},
		{"analyze - --kernel 5.4.0", `--kernel "5.4.0": Linux has Multipath TCP from 5.6 on`},
		{"why - --kernel freebsd", `--kernel "freebsd": want a version of Linux`},
		{"report - -o x.html --kernel freebsd", "--kernel"},
		{"live - --kernel freebsd", "--kernel"},
		{"analyze - --direction up", `--direction "up": want a2b or b2a`},
		{"analyze - --skip -3s", "--skip -3s"},
		{"analyze - --max-memory 1MiB", "--max-memory 1MiB: want at least 16MiB"},
		{"analyze - --max-memory lots", "want a number of bytes, as in 512MiB or 2GiB"},
		{"analyze - --qoe-alpha -0.5", "--qoe-alpha -0.5: want a number of segments, 0 or more"},
		{"analyze - --qoe-beta +Inf", "--qoe-beta +Inf: want a number of segments, 0 or more"},
		{"analyze - --qoe-alpha NaN", "--qoe-alpha NaN"},
		{"analyze - --qoe-beta -1", "--qoe-beta -1"},
		{"analyze - --qoe-gamma 2", "--qoe-gamma 2"},
		{"analyze - --bitrate 4Mbit", "--bitrate 4Mbit: want a rate of 1 bit/s or more, as in 500k, 4M or 2.5M"},
		{"analyze - --bitrate 0", "--bitrate 0: want a rate"},
		{"analyze - --bitrate NaN", "--bitrate NaN: want a rate"},
		{"analyze - --bitrate 1M --playout -1s", "--playout -1s: want a time of 0 or more"},
		{"analyze - --fairness --connection 3", "--fairness and --connection do not go together"},
		{"analyze - --playout 1s", "--playout needs --bitrate"},
		{"why - --playout 1s", "--playout needs --bitrate"},
		{"why - --fairness --connection 3", "--fairness and --connection do not go together"},
		{"report - -o x.html --bitrate 0", "--bitrate 0: want a rate"},
		{"compare a=x b=y --message-gap 1s", "--message-gap needs --bitrate"},
		{"analyze - --series rtt,srt", `no series "srt"; did you mean srtt`},
		{"analyze - --series cwnd,tau,rtts", `no series "rtts"`},
		{"analyze - --metrics basic --series zeta", "--series: hol_degree is not derived with --metrics basic; add delays"},
		{"compare a=FILE --metrics basic --metric T_over.max", "--metric T_over.max: protocol_delay is not derived with --metrics basic; add delays"},
		{"compare a=FILE --baseline b=FILE --fail-on theta_j>5%", `no metric "theta_j"`},
		{"plot FILE -o x.svg --kind series --metric tau,loss", `no metric "drops.percent"`},
		{"analyze - --metrics delays,ordr", `no family of metrics "ordr"`},
		{"analyze - --metrics ordr", "--metrics ordr: no family"},
		{"analyze - --metrics ordr", "did you mean order?"},
		{"analyze - --metrics xyzzy", "want all, basic, or some of: delays, order, windows, verdicts"},
		{"analyze - --metrics basic,zeta", "--metrics basic,zeta: zeta is a metric, no family of metrics; --metrics delays brings it"},
		{"compare a=FILE --metric strt", `--metric strt: no metric "strt"; did you mean srtt?`},
		{"compare a=FILE --metric b2a.strt.avg", `--metric b2a.strt.avg: no metric "strt"; did you mean srtt?`},
		{"compare a=FILE --rank byts", `--rank byts: no metric "byts"; did you mean bytes?`},
		{"compare a=FILE --baseline b=FILE --fail-on strt>5%", `no metric "strt"; did you mean srtt?`},
		{"plot FILE -o x.svg --kind series --metric strt", `no metric "strt"; did you mean srtt?`},
		{"plot FILE -o x.svg --kind serie", `no kind of figure "serie"; did you mean series?`},
		{"analyze - --metrics=", "no family of metrics \"\""},
		{"analyze - --metrics basic --series srtt,path_delay", "--series: path_delay is not derived with --metrics basic; add delays"},
		{"analyze --both FILE FILE --metrics delays --series dsn_offset", "--series: dsn_offset is not derived with --metrics delays; add order"},
		{"compare a=FILE --metrics basic", "--table fi23: protocol_delay_ms is not derived with --metrics basic; add delays"},
		{"compare a=FILE --metrics delays --metric rwnd.max", "--metric rwnd.max: rwnd is not derived with --metrics delays; add windows"},
		{"compare a=FILE --metrics basic --table mix --baseline b=FILE --fail-on b2a.hol_degree_ms.avg>5%", "hol_degree_ms is not derived with --metrics basic; add delays"},
		{"compare a=FILE --baseline b=FILE --fail-on path.LTE.strt>5%", `no metric "strt"; did you mean srtt?`},
		{"compare a=FILE --baseline b=FILE --fail-on srtt>5kB", `the unit "kB" does not fit; want ms, ns`},
		{"analyze - --fail-on strt>5", `no metric "strt"; did you mean srtt?`},
		{"analyze - --fail-on receive_window", "mpanalyze why --fail-on receive_window fails on it"},
		{"analyze - --metrics basic --fail-on protocol_delay>5", "protocol_delay is not derived with --metrics basic; add delays"},
		{"analyze - --direction b2a --fail-on a2b.goodput<5", "--direction b2a leaves a2b out"},
		{"compare a=FILE --metrics basic,x", `no family of metrics "basic"`},
		{"explain srtt hol_degre", `no metric or verdict "hol_degre"; did you mean hol_degree`},
		{"analyze - --connection -2", "--connection -2"},
		{"analyze - --color=sometimes", `--color "sometimes": want auto, always or never`},
		{"analyze - --width -1", "--width -1"},
		{"analyze - --label wifi", `label "wifi": want ADDRESS=NAME`},
		{"analyze - --label 10.0.0.1=", `label "10.0.0.1=": want ADDRESS=NAME`},
		{"connections - --label 10.0.0.300=x", `"10.0.0.300" is neither an address nor a subnet`},
		{"connections - --vantage c", "--vantage"},
		{"follow - --direction b2a --connection -1", "--connection -1"},
		{"follow - --direction b2a --label x", "label"},
		{"connections", "no capture is named"},
		{"version x", "version takes no argument"},
	} {
		var f fake
		args := strings.ReplaceAll(c.args, "FILE", capture)
		r := run(&f, nil, strings.Fields(args)...)
		if r.code != cli.ExitFailed || !strings.Contains(r.err, c.message) || r.out != "" || len(f.asked) > 0 {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q, %d calls", c.args, r.code, r.out, r.err, len(f.asked))
		}
	}
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

// TestLabelNames: a label that would break tables, figures or the terminal is refused.
func TestLabelNames(t *testing.T) {
	for name, want := range map[string]bool{"wifi": true, "Wi-Fi (5 GHz)": true, "Übertragung": true, "a\x01b": false, "a\nb": false, "\xff": false, "\u202ea": false} {
		if r := run(new(fake), nil, "analyze", "-", "--label", "10.0.0.0/8="+name); (r.code == cli.ExitOK) != want {
			t.Errorf("%q: exit status %d, %s", name, r.code, r.err)
		}
	}
}
