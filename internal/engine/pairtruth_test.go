package engine_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// TestPairTruth compares the reports on both captures of the bundled sessions with the
// truth: drops and one-way delays in the emulator's log. The options do not say which
// capture is the sender's. The clocks are trusted if one clock made both captures, and
// found otherwise.
func TestPairTruth(t *testing.T) {
	t.Parallel()
	judged, sessionsJudged := 0, 0
	err := filepath.WalkDir(sessions, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "expected.json" {
			return err
		}
		t.Run(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), sessions+string(filepath.Separator))), func(t *testing.T) {
			if n := judgePair(t, path); n > 0 {
				judged += n
				sessionsJudged++
			}
		})
		return nil
	})
	if err != nil || sessionsJudged < 5 || judged < 80 {
		t.Errorf("only %d facts of %d sessions were judged: %v", judged, sessionsJudged, err)
	}
}

// bothEnds returns options for the two captures of a session, or says that one
// is not bundled.
func bothEnds(t *testing.T, path string) (o engine.Options, x truth, ok bool) {
	t.Helper()
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	var clocks struct{ Pair *struct{ Clock string } }
	if json.Unmarshal(text, &x) != nil || json.Unmarshal(text, &clocks) != nil || clocks.Pair == nil {
		return o, x, false
	}
	o = engine.Options{Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Swap: true}
	if clocks.Pair.Clock == "none" {
		o.Clock = clock.None
	}
	for end, files := range map[string]*[]string{"client": &o.Paths, "server": &o.Receiver} {
		for _, f := range x.Captures[end] {
			name := filepath.Join(filepath.Dir(path), f)
			if _, err := os.Stat(name); err != nil {
				return o, x, false
			}
			*files = append(*files, name)
		}
	}
	return o, x, len(o.Paths) > 0 && len(o.Receiver) > 0
}

func judgePair(t *testing.T, path string) (judged int) {
	o, x, ok := bothEnds(t, path)
	if !ok {
		return 0
	}
	_, text := analyzeBoth(t, o)
	assert.Check(t, schema(t).Validate(reporttest.JSON(t, text)), "the report does not fit the schema")
	var whole map[string]any
	assert.NilError(t, json.Unmarshal(text, &whole))
	return x.judge(t, "pair", whole)
}

// analyzeBoth returns a report, and as text.
func analyzeBoth(t *testing.T, o engine.Options) (*report.Document, []byte) {
	t.Helper()
	doc := analyzed(t, o)
	var text bytes.Buffer
	assert.NilError(t, jsonreport.Write(&text, doc))
	return doc, text.Bytes()
}

// TestPairOrder: whichever capture is named first, the report is the same.
func TestPairOrder(t *testing.T) {
	for _, name := range []string{"p-nat", "p-skew", "a-sym-up"} {
		o, _, ok := bothEnds(t, filepath.Join(sessions, "v1", name, "expected.json"))
		if !ok {
			t.Logf("%s: one capture is bundled", name)
			continue
		}
		_, one := analyzeBoth(t, o)
		o.Paths, o.Receiver = o.Receiver, o.Paths
		_, other := analyzeBoth(t, o)
		if diff := cmp.Diff(string(one), string(other)); diff != "" {
			t.Errorf("%s (-one way +other way)\n%.2000s", name, diff)
		}
	}
}
