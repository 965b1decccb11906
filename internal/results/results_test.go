package results

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// figuresOfRun is about how many figures a run of two paths has.
const figuresOfRun = 715

// generated writes the results of a campaign, a line for each.
func generated(t testing.TB, runs int) string {
	t.Helper()
	var text []byte
	for i := range runs {
		run := &campaign.Run{Vantage: report.VantageA, Bulk: report.B2A, Content: fmt.Sprint("content ", i), Captures: []string{fmt.Sprint("content ", i)}, MadeBy: &report.MadeBy{Version: "v1"}}
		for k := range figuresOfRun {
			run.Names = append(run.Names, fmt.Sprintf("b2a.figure_of_a_path_with_a_long_name_%03d.avg", k))
			run.Values = append(run.Values, float64(i*k)+0.123456789)
		}
		r := &Result{
			Schema: SchemaName, List: "list", Index: i, Of: runs, Key: fmt.Sprint(i), Run: run,
			Input: campaign.Input{Scenario: fmt.Sprint("s", i%20), Name: fmt.Sprint(i / 20), Files: []string{fmt.Sprintf("runs/%d.pcap", i)}},
		}
		var err error
		if text, err = r.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "results.jsonl")
	assert.NilError(t, os.WriteFile(file, text, 0o644))
	return file
}

func inTurn(_ context.Context, n int, work func(int)) {
	for i := range n {
		work(i)
	}
}

// TestMemoryOfResults: a result keeps its values and little more, so that 10,000 take a tenth of
// a gigabyte. Names are in memory once.
func TestMemoryOfResults(t *testing.T) {
	const runs = 300
	file := generated(t, runs)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	m, err := Read(context.Background(), []string{file}, Options{Each: inTurn})
	if err != nil || len(m.Outcomes) != runs {
		t.Fatal(len(m.Outcomes), err)
	}
	each := float64(heap()-before) / runs
	if bound := 8.0*figuresOfRun*1.5 + 2000; each > bound { // slices grow by up to a half more than they need
		t.Errorf("%.0f bytes for each result, want at most %.0f", each, bound)
	}
	if a, b := m.Outcomes[0].Run.Names, m.Outcomes[runs-1].Run.Names; &a[0] != &b[0] || len(a) != figuresOfRun {
		t.Error("two runs with the same figures have names of their own")
	}
	if v, ok := m.Outcomes[7].Run.Figure(m.Outcomes[7].Run.Names[3]); !ok || v != 21.123456789 {
		t.Errorf("figure 3 of run 7 is %v, want 21.123456789", v)
	}
}

// TestFileNames: names are those of the runs, safe as names of files, and differ.
func TestFileNames(t *testing.T) {
	names := FileNames([]campaign.Input{
		{Scenario: "lia", Name: "1"},
		{Scenario: "lia", Name: "1"},
		{Scenario: "lia", Name: "1", Labels: map[string]string{"hour": "3"}},
		{Scenario: "lia", Name: "1", Baseline: true},
		{Scenario: "../x", Name: "a/b\x00ü.pcap"},
		{Scenario: strings.Repeat("s", 300), Name: strings.Repeat("n", 300)},
		{Scenario: "Überlast", Name: "1"},
		{Scenario: ".hidden", Name: "1"},
		{Name: "1"},
	})
	dir := t.TempDir()
	for i, n := range names {
		write := os.WriteFile(filepath.Join(dir, n), nil, 0o600)
		if i == 0 { // a link to a file is one
			write = errors.Join(os.Remove(filepath.Join(dir, n)), os.Symlink(filepath.Join(dir, names[1]), filepath.Join(dir, n)))
		}
		if write != nil {
			t.Fatal(write)
		}
	}
	if found, err := Files([]string{dir}); err != nil || len(found) != len(names) {
		t.Errorf("%d of %d files are found, %v", len(found), len(names), err)
	}
	seen := map[string]bool{}
	for _, n := range names {
		assert.Check(t, !seen[n] && n == filepath.Base(n) && !strings.HasPrefix(n, ".") && len(n) <= 200 && strings.HasSuffix(n, ".json"), "%q", n)
		seen[n] = true
	}
	if !strings.HasPrefix(names[0], "lia.1.") || names[1] != strings.TrimSuffix(names[0], ".json")+"-2.json" {
		t.Errorf("%q and %q", names[0], names[1])
	}
	if !strings.HasPrefix(names[4], "x.._x.") || !strings.Contains(names[4], "a_b__.pcap") {
		t.Errorf("%q", names[4])
	}
}

// TestGaps: numbers in a row are one span, and a message does not grow with them.
func TestGaps(t *testing.T) {
	for want, c := range map[string]struct {
		of    int
		there []int // from 1
	}{
		"":                                    {3, []int{1, 2, 3}},
		"1":                                   {2, []int{2}},
		"1, 3-5":                              {6, []int{2, 6}},
		"2-3":                                 {3, []int{1}},
		"1-4":                                 {5, []int{5, 5}},
		"2-99999":                             {99999, []int{1}},
		"1, 3, 5, 7, 9, 11, 13, 15, and more": {20, []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
	} {
		var all []*Result
		for _, n := range c.there {
			all = append(all, &Result{Index: n - 1, Of: c.of})
		}
		if got := spans(gaps(all)); got != want {
			t.Errorf("%d of %d: %s, want %s", c.there, c.of, got, want)
		}
	}
}

// TestManyMissing: a short file that says that its list is long is refused; the missing runs are
// not filled in.
func TestManyMissing(t *testing.T) {
	for of, want := range map[int]string{
		3: "", mostMissing + 1: "", mostMissing + 2: "100001 of 100002 runs have no result, as ", mostRuns: "9999999 of 10000000 runs have no result, as ",
	} {
		text, err := (&Result{Schema: SchemaName, List: "l", Of: of, Skipped: "is cut"}).Append(nil)
		file := filepath.Join(t.TempDir(), "r.json")
		assert.NilError(t, errors.Join(err, os.WriteFile(file, text, 0o600)))
		m, err := Read(context.Background(), []string{file}, Options{Incomplete: true, Each: inTurn})
		switch {
		case want == "" && (err != nil || len(m.Outcomes) != of):
			t.Errorf("a list of %d runs: %v", of, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want+file)):
			t.Errorf("a list of %d runs: %v, want %q", of, err, want+file)
		}
		if _, err := Read(context.Background(), []string{file}, Options{Each: inTurn}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("number 2-%d of the list", of)) {
			t.Errorf("a list of %d runs, complete: %v", of, err)
		}
	}
}

// TestCheck: what is no whole result is refused.
func TestCheck(t *testing.T) {
	summed := func(text string) string {
		hash := sha256.Sum256([]byte(text[:len(text)-1]))
		return fmt.Sprintf("%s%s%x\"}\n", text[:len(text)-1], sumField, hash)
	}
	skipped := summed(`{"schema":"` + SchemaName + `","skipped":"text","list":"x","index":0,"of":1}`)
	for text, want := range map[string]string{
		summed(`{"schema":"` + SchemaName + `","of":1,"run":{"names":["a"],"values":[]}}`):                       "1 names for 0 figures",
		summed(`{"schema":"` + SchemaName + `","run":{"names":[],"values":[]},"list":"x","index":3,"of":3}`):     "number 4 of 3 runs",
		summed(`{"schema":"` + SchemaName + `","of":1,"run":{"values":[]}}`):                                     "figures without names",
		summed(`{"schema":"` + SchemaName + `","run":{"packed":{"catalogue":"0"},"values":[1]}}`):                "with other figures; run mpanalyze task",
		summed(`{"schema":"` + SchemaName + `","run":{"names":["b2a.goodput_mbps"],"values":[-1]}}`):             "b2a.goodput_mbps is -1, which no capture gives",
		summed(`{"schema":"` + SchemaName + `","run":{"names":["b2a.time_account.down.ms"],"values":[9.3e18]}}`): "which no capture gives",
		skipped + `{"schema"`: "result 2 cannot be read",
		summed(`{"schema":"` + SchemaName + `","run":{"names":[1],"values":[1]}}`): "cannot unmarshal number",
		strings.Replace(skipped, "text", "test", 1):                                "was changed since it was written",
		`{"schema":"` + SchemaName + `","skipped":"text"}`:                         "has no checksum",
		summed(`{"schema":"x"}`):                                                   "is no result of mpanalyze task",
		summed(`{"schema":"` + SchemaName + `","of":1}`):                           "neither figures nor the reason",
	} {
		file := filepath.Join(t.TempDir(), "r.json")
		assert.NilError(t, os.WriteFile(file, []byte(text), 0o644))
		if _, err := Read(context.Background(), []string{file}, Options{Each: inTurn}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// resultOf returns the result of a run with one figure.
func resultOf(index int, value float64) *Result {
	return &Result{
		Schema: SchemaName, List: "l", Index: index, Of: 3, Key: fmt.Sprint("key ", index), Input: campaign.Input{Scenario: "s", Name: fmt.Sprint(index)},
		Run: &campaign.Run{Names: []string{"b2a.goodput_mbps"}, Values: []float64{value}, MadeBy: &report.MadeBy{Version: "v1"}},
	}
}

// TestOneKeyTwoValues: results of one run with one key and other figures are refused, and both files are
// named, or both places in a file of several. Equal ones count once.
func TestOneKeyTwoValues(t *testing.T) {
	for value, refused := range map[float64]bool{5: false, 6: true} {
		dir := t.TempDir()
		for i, r := range []*Result{resultOf(0, 5), resultOf(1, 1), resultOf(2, 2), resultOf(0, value)} {
			assert.NilError(t, r.Write(filepath.Join(dir, fmt.Sprint(i, ".json"))))
		}
		out := filepath.Join(t.TempDir(), "merged")
		m, err := Read(t.Context(), []string{dir}, Options{Each: inTurn})
		if !refused && (err != nil || len(m.Outcomes) != 3) {
			t.Errorf("equal results: %v", err)
		}
		if refused && (err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "0.json")) || !strings.Contains(err.Error(), filepath.Join(dir, "3.json"))) {
			t.Errorf("other values: %v", err)
		}
		var all []byte
		for i := range 4 {
			text, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".json")))
			assert.NilError(t, err)
			all = append(all, text...)
		}
		assert.NilError(t, os.WriteFile(out, all, 0o600))
		if _, err = Read(t.Context(), []string{out}, Options{Each: inTurn}); (err != nil) != refused || refused && !strings.Contains(err.Error(), "in "+out+" and in "+out+", result 4") {
			t.Errorf("merged: %v", err)
		}
	}
}

// TestOnly: with a list, the results of its runs are taken, in its order, whatever list they are of.
func TestOnly(t *testing.T) {
	dir := t.TempDir()
	var inputs []campaign.Input
	for i := range 3 {
		r := resultOf(i, float64(i))
		r.List = fmt.Sprint("list ", i)
		inputs = append([]campaign.Input{r.Input}, inputs...)
		assert.NilError(t, r.Write(filepath.Join(dir, fmt.Sprint(i))))
	}
	m, err := Read(t.Context(), []string{dir}, Options{Each: inTurn, Only: inputs[:2]})
	if err != nil || len(m.Outcomes) != 2 || m.Outcomes[0].Run.Values[0] != 2 || m.Outcomes[1].Run.Values[0] != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	inputs[0].Name = "7"
	if _, err := Read(t.Context(), []string{dir}, Options{Each: inTurn, Only: inputs}); err == nil || !strings.Contains(err.Error(), "1 of 3 runs have no result: number 1 of the list") {
		t.Errorf("a run without a result: %v", err)
	}
	if _, err := Read(t.Context(), []string{dir}, Options{Each: inTurn, Only: inputs[:1]}); err == nil || !strings.Contains(err.Error(), "none of the 3 results") {
		t.Errorf("a list of other runs: %v", err)
	}
}
