package cli_test

import (
	"fmt"
	"net/netip"
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
