package results

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// fuzzSeeds are files of results: of runs, of one that was skipped, of both, and what is cut.
func fuzzSeeds(f *testing.F) (all [][]byte) {
	f.Helper()
	run := &campaign.Run{
		Vantage: report.VantageA, Bulk: report.B2A, Content: "c", Captures: []string{"c"}, MadeBy: &report.MadeBy{Version: "v1"},
		Names: []string{"b2a.bytes", "b2a.goodput_mbps"}, Values: []float64{1000, 0.25},
	}
	input := campaign.Input{Scenario: "lia", Name: "1", Files: []string{"1.pcap"}, Factors: []campaign.Factor{{Name: "cc", Value: "lia"}}, Labels: map[string]string{"hour": "3"}}
	var text []byte
	for i, r := range []*Result{
		{Schema: SchemaName, List: "l", Index: 0, Of: 3, Input: input, Key: "k", Content: "c", Program: "p", Files: []File{{Size: 1, Changed: 2, Tag: "t"}}, Run: run},
		{Schema: SchemaName, List: "l", Index: 1, Of: 3, Input: input, Skipped: "is cut"},
		{Schema: SchemaName, Input: input, Run: run},
	} {
		line, err := r.Append(nil)
		assert.NilError(f, err)
		text = append(text, line...)
		all = append(all, line, bytes.Clone(text), line[:len(line)/2+i])
	}
	return append(all, nil, []byte("null"), []byte(`{"schema":"`+SchemaName+`","skipped":"x","list":"l","index":9,"of":1000000}`))
}

// FuzzRead reads any bytes as a file of results: they are results, which are read again as they
// are written, or there is an error that names the file.
func FuzzRead(f *testing.F) {
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		name := filepath.Join(t.TempDir(), "runs.json")
		again := func(text []byte) ([]*Result, error) {
			assert.NilError(t, os.WriteFile(name, text, 0o600))
			var all []*Result
			err := NewReader().file(name, func(r *Result, _ []byte) error { all = append(all, r); return nil })
			return all, err
		}
		all, err := again(text)
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Error(err)
			}
			return
		}
		written := asWritten(t, all)
		back, err := again(written)
		if err != nil || !bytes.Equal(asWritten(t, back), written) {
			t.Errorf("read again as %d results, %v\n%s", len(back), err, written)
		}
		readCampaign(t, name)
	})
}

// asWritten returns results as they are written.
func asWritten(t *testing.T, all []*Result) (text []byte) {
	t.Helper()
	for _, r := range all {
		var err error
		if text, err = r.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

// readCampaign puts results together, also where some are missing.
func readCampaign(t *testing.T, name string) {
	t.Helper()
	for _, incomplete := range []bool{false, true} {
		m, err := Read(context.Background(), []string{name}, Options{Incomplete: incomplete, Each: inTurn})
		assert.Assert(t, (m == nil) == (err != nil), "%v, %v", m, err)
		if m == nil {
			continue
		}
		assert.Check(t, len(m.Inputs) == len(m.Outcomes), "%d inputs, %d outcomes", len(m.Inputs), len(m.Outcomes))
		for i := range m.Outcomes {
			o := &m.Outcomes[i]
			assert.Check(t, (o.Run == nil) != (o.Err == nil), "run %d has figures %v, and %v", i, o.Run, o.Err)
		}
	}
}
