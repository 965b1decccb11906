package cli_test

import (
	"fmt"
	"math"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// TestFlagsReachTheEngine gives command lines and expects options.
func TestFlagsReachTheEngine(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"ONE", "OTHER"} {
		assert.NilError(t, os.WriteFile(name, []byte("sound 12345"), 0o600))
	}
	def := engine.Options{Paths: []string{"-"}, Connection: engine.AllConnections, Interval: 100 * time.Millisecond, QoE: metrics.DefaultQoE, Detail: report.WithData, MaxState: 1 << 30, Version: "v0-test"}
	but := func(o engine.Options, change func(*engine.Options)) engine.Options {
		change(&o)
		return o
	}
	with := func(change func(*engine.Options)) engine.Options { return but(def, change) }
	bare := def
	bare.Detail = 0
	// Captures of two hosts. With --both the engine finds the sender; --sender and --receiver are
	// taken at their word.
	said := func(o *engine.Options) { o.Paths, o.Receiver = []string{"ONE"}, []string{"OTHER"} }
	found := func(o *engine.Options) { said(o); o.Swap = true }
	for _, c := range []struct {
		args string
		want engine.Options
	}{
		{"analyze -", def},
		{"analyze - --json --all --width 60 --color=never", with(func(*engine.Options) {})},
		{"analyze - --json --tables hash", with(func(o *engine.Options) { o.HashLimit = math.MaxInt64 })},
		{"analyze - --tables hash,srtt", def},
		{"analyze --filter tcp -", with(func(o *engine.Options) { o.Filter = "tcp" })},
		{"analyze - --decap --vantage middle", with(func(o *engine.Options) { o.Decap, o.Vantage = true, report.VantageMiddle })},
		{"analyze - --qoe 2.5,1e6,0", with(func(o *engine.Options) { o.QoE = metrics.QoE{Alpha: 2.5, Beta: 1e6} })},
		{"analyze - --stream bitrate=2.5M", with(func(o *engine.Options) { o.Player = metrics.Player{Bitrate: 2.5e6, Playout: 200 * time.Millisecond} })},
		{"analyze - --stream bitrate=500k,playout=2s,gap=30ms", with(func(o *engine.Options) {
			o.Player = metrics.Player{Bitrate: 5e5, Playout: 2 * time.Second, MessageGap: 30 * time.Millisecond}
		})},
		{"analyze - --extra fairness", with(func(o *engine.Options) { o.Fairness = true })},
		{"analyze - --kernel 6.12.48-1-lts", with(func(o *engine.Options) { o.Kernel = "6.12" })},
		{"analyze - --extra regret", with(func(o *engine.Options) { o.Regret = true })},
		{"why - --stream bitrate=4M,playout=1s --extra regret,fairness", but(bare, func(o *engine.Options) {
			o.Player, o.Regret, o.Fairness = metrics.Player{Bitrate: 4e6, Playout: time.Second}, true, true
		})},
		{"why - --kernel omr", but(bare, func(o *engine.Options) { o.Kernel = "omr" })},
		{"report - -o DIR/y.html --kernel 0.9x", but(bare, func(o *engine.Options) { o.Kernel = "0.9x" })},
		{"report - -o DIR/x.html --stream bitrate=4M --extra regret,fairness", but(bare, func(o *engine.Options) {
			o.Player, o.Regret, o.Fairness = metrics.Player{Bitrate: 4e6, Playout: 200 * time.Millisecond}, true, true
		})},
		{"analyze - --interval 0 --from 3s", with(func(o *engine.Options) { o.Interval, o.Skip = 0, 3*time.Second })},
		{"analyze - --max-memory 256MiB", with(func(o *engine.Options) { o.MaxState = 256 << 20 })},
		{"analyze - --metric all", def},
		{"analyze - --tcp summary", with(func(o *engine.Options) { o.Detail = report.Summary })},
		{"analyze - --tcp none", with(func(o *engine.Options) { o.Detail = report.NoTCP })},
		{"analyze - --metric basic", with(func(o *engine.Options) { o.Omit = catalogue.AllFamilies })},
		{"analyze - --metric order,delays --tables path_delay,srtt --csv DIR", with(func(o *engine.Options) { o.Omit = catalogue.FamilyWindows | catalogue.FamilyVerdicts })},
		{"analyze - --metric order --metric delays --tables rtt --tables srtt --csv DIR", with(func(o *engine.Options) { o.Omit = catalogue.FamilyWindows | catalogue.FamilyVerdicts })},
		{"analyze - --metric verdicts", with(func(o *engine.Options) { o.Omit = catalogue.FamilyOrder })},
		{"analyze - --connection 7 --direction b2a", with(func(o *engine.Options) { o.Connection, o.Direction = 7, report.B2A })},
		{"analyze - --label 10.0.1.7=wifi --label ::ffff:10.0.1.8=x --label 2001:db8::1/32=lte=5g", with(func(o *engine.Options) {
			o.Labels = []engine.Label{
				{Prefix: netip.MustParsePrefix("10.0.1.7/32"), Name: "wifi"},
				{Prefix: netip.MustParsePrefix("10.0.1.8/32"), Name: "x"},
				{Prefix: netip.MustParsePrefix("2001:db8::/32"), Name: "lte=5g"},
			}
		})},
		{"connections - --format json", bare},
		{"connections - --vantage b", but(bare, func(o *engine.Options) { o.Vantage, o.Detail = report.VantageB, report.Lines })},
		{"follow - --direction a2b", but(bare, func(o *engine.Options) { o.Connection, o.Direction = 0, report.A2B })},
		{"follow - --direction b2a --connection 3 --sha256", but(bare, func(o *engine.Options) { o.Connection, o.Direction = 3, report.B2A })},
		{"analyze --both ONE OTHER", with(found)},
		{"analyze --sender ONE --receiver OTHER", with(said)},
		{"why --both ONE OTHER", but(bare, found)},
		{"why --sender ONE --receiver OTHER", but(bare, said)},
		{"report -o x.html --both ONE OTHER", but(bare, found)},
		{"report -o x.html --sender ONE --receiver OTHER", but(bare, said)},
		{"plot --kind box --metric bytes -o x.svg --both ONE OTHER", but(bare, func(o *engine.Options) { found(o); o.Several, o.End = true, report.SenderHost })},
		{"plot --kind box --metric bytes -o x.svg --sender ONE --receiver OTHER", but(bare, func(o *engine.Options) { said(o); o.Several, o.End = true, report.SenderHost })},
	} {
		var f fake
		args := strings.ReplaceAll(c.args, "DIR", t.TempDir())
		if r := run(&f, nil, strings.Fields(args)...); r.code != cli.ExitOK {
			t.Errorf("%s: exit status %d: %s", c.args, r.code, r.err)
			continue
		}
		diff := cmp.Diff(c.want, f.asked[0],
			cmpopts.IgnoreFields(engine.Options{}, "Stdin", "Progress", "Series", "Rows", "Packets", "Changes"), cmpopts.IgnoreUnexported(engine.Options{}),
			cmp.Comparer(func(a, b netip.Prefix) bool { return a == b }))
		assert.Check(t, diff == "", "%s (-want +got):\n%s", c.args, diff)
	}
}

// TestHelpHasExamples: every command that reads captures shows how.
func TestHelpHasExamples(t *testing.T) {
	root := cli.NewRoot(cli.Streams{}, cli.Engine{}, "")
	for _, c := range root.Commands() {
		assert.Check(t, c.Short != "", "%s: no description", c.Name())
		assert.Check(t, c.Flags().Lookup("filter") == nil || strings.Contains(c.Example, fmt.Sprintf("mpanalyze %s ", c.Name())), "%s: no example", c.Name())
	}
}

// TestLabelNames: a label that would break tables, figures or the terminal is refused.
func TestLabelNames(t *testing.T) {
	for name, want := range map[string]bool{"wifi": true, "Wi-Fi (5 GHz)": true, "Übertragung": true, "a\x01b": false, "a\nb": false, "\xff": false, "\u202ea": false} {
		r := run(new(fake), nil, "analyze", "-", "--label", "10.0.0.0/8="+name)
		assert.Check(t, (r.code == cli.ExitOK) == want, "%q: exit status %d, %s", name, r.code, r.err)
	}
}
