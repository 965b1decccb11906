package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	reassembly "mpanalyze/internal/follow"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/schemas"
	"mpanalyze/internal/testrun"
)

// truth is what applications, kernels and emulated paths recorded of a session
// (testdata/README.md).
type truth struct {
	Captures    map[string][]string // by end
	Vantage     map[string]report.Vantage
	Facts       []fact
	Connections []struct {
		Match    map[string]ends
		Subflows map[string]map[string][2]string
		Facts    []fact
		Streams  []stream
	}
	TCP []struct {
		Match map[string]ends
		Facts []fact
	}
}

// ends are the addresses of a connection's first subflow in one capture.
type ends struct{ A, B string }

// fact is one figure and its true value.
type fact struct {
	At, Field, Subflow string
	Want               any
	Abs, Rel           float64
	AnyOf              []any `json:"any_of"`
	Between            []float64
	Contains           string
	Null               bool
	NotNull            bool `json:"not_null"`
}

// stream is what an application wrote or read at one end.
type stream struct {
	At, Direction, SHA256 string
	Bytes                 int64
	Status                int // 2 if payload was not captured
}

// TestTruth compares the reports on the bundled sessions with the truth, as far as one
// capture can show it, and the application streams with what the applications wrote and
// read.
func TestTruth(t *testing.T) {
	t.Parallel()
	var found []string
	err := filepath.WalkDir(sessions, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "expected.json" && strings.Count(path, "captures") == 0 {
			found = append(found, path)
		}
		return err
	})
	if err != nil || len(found) < 10 {
		t.Fatalf("%d sessions: %v", len(found), err)
	}
	judged := 0
	for _, path := range testrun.Few(found) {
		t.Run(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), sessions+string(filepath.Separator))), func(t *testing.T) {
			judged += judgeSession(t, path)
		})
	}
	assert.Check(t, judged >= 1000 || testing.Short(), "only %d facts were judged", judged)
}

func judgeSession(t *testing.T, path string) (judged int) {
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	var x truth
	if err := json.Unmarshal(text, &x); err != nil {
		t.Skipf("not of one session: %v", err)
	}
	for end, files := range x.Captures {
		o := engine.Options{Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Vantage: x.Vantage[end]}
		for _, f := range files {
			o.Paths = append(o.Paths, filepath.Join(filepath.Dir(path), f))
		}
		if _, err := os.Stat(o.Paths[0]); errors.Is(err, fs.ErrNotExist) {
			continue // large sessions are bundled from one end only
		}
		judged += x.judgeEnd(t, end, o)
	}
	return judged
}

// judgeEnd checks the report on the captures of one end.
func (x *truth) judgeEnd(t *testing.T, end string, o engine.Options) (judged int) {
	_, text := analyzeBoth(t, o)
	assert.Check(t, schema(t).Validate(reporttest.JSON(t, text)), "%s: the report does not fit the schema", end)
	var whole map[string]any
	assert.NilError(t, json.Unmarshal(text, &whole))
	for i := range x.Connections {
		c := &x.Connections[i]
		got := findConnection(whole, c.Match[end])
		for _, s := range c.Streams {
			if s.At == end && got != nil {
				judged++
				followed(t, o, int(got["id"].(float64)), &s)
			}
		}
	}
	return judged + x.judge(t, end, whole)
}

// judge checks a report on the captures of one end, or of both as a pair, whose addresses are those at
// either end.
func (x *truth) judge(t *testing.T, end string, whole map[string]any) (judged int) {
	judged += judge(t, end, "report", x.Facts, func(string) map[string]any { return whole })
	at := []string{end}
	if end == "pair" {
		at = []string{"client", "server"}
	}
	for i := range x.Connections {
		c := &x.Connections[i]
		var got map[string]any
		for _, end := range at {
			if m := c.Match[end]; got == nil && m.A != "" {
				if got = findConnection(whole, m); got == nil && len(at) == 1 {
					t.Errorf("%s: no connection %v", end, m)
				}
			}
		}
		if got == nil {
			continue
		}
		judged += judge(t, end, fmt.Sprint(c.Match), c.Facts, func(sub string) map[string]any {
			if sub == "" {
				return got
			}
			for _, end := range at {
				if s := findEnds(got["subflows"], c.Subflows[sub][end]); s != nil {
					return s
				}
			}
			return nil
		})
	}
	for _, c := range x.TCP {
		m := c.Match[end]
		judged += judge(t, end, "tcp "+m.A, c.Facts, func(string) map[string]any { return findEnds(whole["tcp"], [2]string{m.A, m.B}) })
	}
	return judged
}

var schemaOfReports *jsonschema.Schema

// schema returns the schema of the report.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	if schemaOfReports == nil {
		schemaOfReports = reporttest.Schema(t, schemas.Of("report"))
	}
	return schemaOfReports
}

// followed compares a reassembled stream with the application's.
func followed(t *testing.T, o engine.Options, id int, s *stream) {
	o.Connection, o.Direction = id, report.Direction(s.Direction)
	got, err := engine.Follow(context.Background(), o, io.Discard)
	var missing *reassembly.MissingError
	switch {
	case s.Status == 2:
		if !errors.As(err, &missing) {
			t.Errorf("%s %s: payload is not in the capture, but: %v", s.At, s.Direction, err)
		}
	case err != nil:
		t.Errorf("%s %s: %v", s.At, s.Direction, err)
	case fmt.Sprintf("%x", got.SHA256) != s.SHA256 || got.Bytes != s.Bytes:
		t.Errorf("%s %s: %x of %d bytes, want %s of %d", s.At, s.Direction, got.SHA256, got.Bytes, s.SHA256, s.Bytes)
	}
}

func findConnection(doc map[string]any, m ends) map[string]any {
	for _, c := range list(doc["connections"]) {
		if findEnds(c["subflows"], [2]string{m.A, m.B}) != nil {
			return c
		}
	}
	return nil
}

// findEnds returns the subflow or connection between two "address:port".
func findEnds(v any, want [2]string) map[string]any {
	for _, s := range list(v) {
		if endpoint(s["a"]) == want[0] && endpoint(s["b"]) == want[1] {
			return s
		}
	}
	return nil
}

func endpoint(v any) string {
	e, _ := v.(map[string]any)
	addr, _ := e["addr"].(string)
	if strings.Contains(addr, ":") {
		addr = "[" + addr + "]"
	}
	return fmt.Sprintf("%s:%v", addr, e["port"])
}

func list(v any) (out []map[string]any) {
	items, _ := v.([]any)
	for _, x := range items {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// judge compares the facts of one end with the objects that they name.
func judge(t *testing.T, end, what string, facts []fact, of func(subflow string) map[string]any) (judged int) {
	for i := range facts {
		f := &facts[i]
		if f.At != end {
			continue
		}
		judged++
		obj := of(f.Subflow)
		if obj == nil {
			t.Errorf("%s %s %s: no such object", end, what, f.Subflow)
			continue
		}
		got, ok := lookUp(obj, f.Field)
		if !ok {
			t.Errorf("%s %s %s %s: missing", end, what, f.Subflow, f.Field)
		} else if !f.holds(got) {
			t.Errorf("%s %s %s %s: got %v, want %+v", end, what, f.Subflow, f.Field, got, *f)
		}
	}
	return judged
}

// lookUp follows a dotted path; "#name" is the length of a list.
func lookUp(obj map[string]any, path string) (any, bool) {
	if name, counted := strings.CutPrefix(path, "#"); counted {
		items, ok := obj[name].([]any)
		return float64(len(items)), ok
	}
	var v any = obj
	for name := range strings.SplitSeq(path, ".") {
		if v == nil {
			return nil, true
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[name]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (f *fact) holds(got any) bool {
	switch {
	case f.Null:
		return got == nil
	case f.NotNull:
		return got != nil
	case f.Contains != "":
		for _, e := range list(got) {
			if e["kind"] == f.Contains {
				return true
			}
		}
		return false
	case f.Between != nil:
		v, ok := got.(float64)
		return ok && f.Between[0] <= v && v <= f.Between[1]
	case f.AnyOf != nil:
		for _, w := range f.AnyOf {
			if f.equal(got, w) {
				return true
			}
		}
		return false
	}
	return f.equal(got, f.Want)
}

func (f *fact) equal(got, want any) bool {
	w, number := want.(float64)
	if !number {
		return got == want
	}
	g, ok := got.(float64)
	return ok && math.Abs(g-w) <= f.Abs+f.Rel*math.Abs(w)
}
