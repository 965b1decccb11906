package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/plot"
)

const bundledCampaign = "../../testdata/sessions/v1/l-{scenario}/{host}.pcap.zst"

// twoForms are metrics of which each of two captures has a form of its own, or that only one of
// them shows.
var twoForms = []string{
	"protocol_delay", "hol_degree", "hol_degree_all_paths", "hol_blocking",
	"path_delay", "waiting_time", "hol_wait", "in_order_wait", "rtt", "srtt",
}

// TestOneEnd: all outputs of compare and plot for captures of both hosts hold the same figures
// for each end: tables as text, CSV, Markdown and LaTeX, the JSON, the values of runs, the page,
// box plots, curves over time and distribution functions.
func TestOneEnd(t *testing.T) {
	outputs := map[string]map[string][]float64{}
	for _, end := range []string{"sender", "receiver"} {
		t.Run(end, func(t *testing.T) {
			c := compareAll(t, end)
			runs := runsOf(t, c)
			c.checkTables(t)
			checkFigures(t, end, runs)
			outputs[end] = runs
		})
	}
	for _, m := range []string{"protocol_delay_ms.avg", "hol_degree_ms.avg"} {
		assert.Check(t, !slices.Equal(outputs["sender"]["spurious b2a."+m], outputs["receiver"]["spurious b2a."+m]),
			"%s has the same values at both ends: the test shows nothing", m)
	}
}

// comparedFiles holds what one command of compare wrote.
type comparedFiles struct {
	end    string
	text   string
	files  map[string][]byte
	result campaign.Result
	rows   [][]string // of the table as CSV
}

func compareAll(t *testing.T, end string) *comparedFiles {
	t.Helper()
	dir := t.TempDir()
	c := &comparedFiles{end: end, files: map[string][]byte{}}
	args := []string{"compare", "--no-cache", "--pattern", bundledCampaign, "--end", end, "--style", "digits=6"}
	for _, m := range twoForms {
		args = append(args, "--metric", m)
	}
	names := []string{"csv", "json", "values", "latex", "x.md", "x.html"}
	for _, n := range names {
		flag, _, _ := strings.Cut("--"+strings.Replace(n, "x.", "output.", 1), ".")
		args = append(args, flag+"="+filepath.Join(dir, n))
	}
	var out, errs bytes.Buffer
	s := Streams{Out: &out, Err: &errs, Getenv: os.Getenv}
	assert.Assert(t, is.Equal(Main(args, s, Engine{Analyze: engine.Analyze}, "v0-test"), ExitOK), "status; %s", errs.String())
	c.text = out.String()
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(dir, n))
		assert.NilError(t, err)
		c.files[n] = text
	}
	assert.NilError(t, json.Unmarshal(c.files["json"], &c.result))
	var err error
	c.rows, err = csv.NewReader(bytes.NewReader(c.files["csv"])).ReadAll()
	assert.NilError(t, err)
	return c
}

// runsOf returns the values of runs, by scenario and figure, and holds the JSON to them.
func runsOf(t *testing.T, c *comparedFiles) map[string][]float64 {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(c.files["values"])).ReadAll()
	assert.NilError(t, err)
	runs := map[string][]float64{}
	for _, r := range rows[1:] {
		name := r[2] + "."
		if r[3] != "" {
			name += r[3] + "."
		}
		name += r[4]
		v, err := strconv.ParseFloat(r[6], 64)
		assert.NilError(t, err)
		runs[r[0]+" "+name] = append(runs[r[0]+" "+name], v)
		for _, s := range c.result.Scenarios {
			assert.Check(t, s.Name != r[0] || s.Metrics[name].End == r[8], "%s: at %s in the values, at %q in the JSON", name, r[8], s.Metrics[name].End)
		}
	}
	return runs
}

// checkTables holds table and page to the JSON.
func (c *comparedFiles) checkTables(t *testing.T) {
	t.Helper()
	assert.Assert(t, len(c.rows) >= len(twoForms), "%d rows", len(c.rows))
	for _, row := range c.rows[1:] {
		figure, end := row[3], row[4]
		for _, s := range c.result.Scenarios {
			a := s.Metrics[figure]
			col := slices.Index(c.rows[0], s.Name+" mean")
			v, _ := strconv.ParseFloat(row[col], 64)
			assert.Check(t, v == a.Mean && end == a.End, "%s of %s: %s at %s in the table, %v at %s in the JSON", figure, s.Name, row[col], end, a.Mean, a.End)
			for kind, text := range map[string]string{"text": c.text, "x.md": string(c.files["x.md"]), "latex": string(c.files["latex"])} {
				assert.Check(t, holdsNumber(text, a.Mean), "%s has no %v, the mean of %s", kind, a.Mean, figure)
			}
			assert.Check(t, strings.Contains(string(c.files["x.html"]), `data-v="`+strconv.FormatFloat(a.Mean, 'g', -1, 64)+`"`),
				"the page has no %v, the mean of %s", a.Mean, figure)
		}
	}
	for kind, text := range map[string]string{"text": c.text, "x.md": string(c.files["x.md"]), "page": string(c.files["x.html"])} {
		assert.Check(t, strings.Contains(text, "at the "+c.end), "%s does not say that figures are at the %s", kind, c.end)
	}
}

// holdsNumber reports whether a text has a number with its first five digits.
func holdsNumber(text string, want float64) bool {
	return slices.ContainsFunc(numbers.FindAllString(text, -1), func(s string) bool {
		v, err := strconv.ParseFloat(s, 64)
		return err == nil && math.Abs(v-want) <= 1e-5*math.Abs(want)
	})
}

var numbers = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// checkFigures holds figures to the values of runs: a box plot has the same values, and the
// values of a series over time or of a distribution have the same extremes.
func checkFigures(t *testing.T, end string, runs map[string][]float64) {
	t.Helper()
	list := strings.Join(twoForms, ",")
	args := []string{"--pattern", bundledCampaign, "--end", end, "--figure", "box:" + list + "=box.svg", "--figure", "series:" + list + "=series.svg", "--figure", "cdf:" + list + "=cdf.svg"}
	o := &plotOptions{layout: plot.Layout{Size: plot.DefaultSize}}
	a := &app{Streams: Streams{Out: new(bytes.Buffer), Err: new(bytes.Buffer), Getenv: os.Getenv}, engine: Engine{Analyze: engine.Analyze}}
	c := a.plotCommand(o)
	c.SetContext(t.Context())
	assert.NilError(t, c.ParseFlags(args))
	assert.NilError(t, o.check(a, c))
	inputs, err := o.inputs(nil)
	assert.NilError(t, err)
	drawn, err := a.gatherAll(c, o, inputs)
	assert.NilError(t, err)
	for _, m := range twoForms {
		for figure, want := range runs {
			scenario, name, _ := strings.Cut(figure, " ")
			n := campaign.NameOf(name)
			json, stat, _ := strings.Cut(n.Metric, ".")
			if json != m+"_ms" || n.Direction != "b2a" || stat != "max" && stat != "min" {
				continue
			}
			for kind := 1; kind <= 2; kind++ { // series and cdf
				var got []float64
				for _, r := range drawn {
					if r.of[kind].Scenario != scenario {
						continue
					}
					x := extreme(r.of[kind], m, n.Path, stat)
					if m == "hol_degree" && stat == "max" {
						x = max(x, 0) // as the mean over runs takes it
					}
					got = append(got, x)
				}
				assert.Check(t, slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }),
					"%s %s at %s: %v in figure %d, %v in the table", scenario, name, end, got, kind, want)
			}
		}
	}
	for k, d := range o.drawings {
		var of []*plot.Run
		for _, r := range drawn {
			of = append(of, r.of[k])
		}
		f, err := d.kind.Make(of, d.metrics)
		assert.NilError(t, err)
		assert.Check(t, strings.Contains(f.Title, "at the "+end), "title %q", f.Title)
		if k == 0 {
			checkBoxes(t, f, runs)
		}
	}
}

// extreme returns the largest or least value of a series of a run.
func extreme(r *plot.Run, metric, path, stat string) float64 {
	out := math.NaN()
	for _, l := range r.Store.Find(r.Connection, r.Direction, metric) {
		if l.Path != path {
			continue
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		if l.Dist.N() > 0 {
			lo, hi = l.Dist.Min(), l.Dist.Max()
		}
		for _, p := range l.Points(1 << 20) {
			lo, hi = min(lo, p.Lo), max(hi, p.Hi)
		}
		if out = hi; stat == "min" {
			out = lo
		}
	}
	return out
}

// checkBoxes: each dot of a box plot is the figure of a run in the table.
func checkBoxes(t *testing.T, f *plot.Figure, runs map[string][]float64) {
	t.Helper()
	var all []float64
	for figure, v := range runs {
		n := campaign.NameOf(figure[strings.IndexByte(figure, ' ')+1:])
		if n.Direction == "b2a" && (strings.HasSuffix(n.Metric, ".avg") || strings.HasSuffix(n.Metric, "srtt_ms.cell_mean")) {
			all = append(all, v...)
		}
	}
	dots := 0
	for _, p := range f.Panels {
		for _, l := range p.Layers {
			for _, xy := range l.XY {
				dots++
				assert.Check(t, slices.Contains(all, xy.Lo), "%s: %v is in no table", p.Y, xy.Lo)
			}
		}
	}
	assert.Check(t, dots >= 3*len(twoForms), "%d dots", dots)
}
