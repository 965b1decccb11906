package engine_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/testrun"
)

// TestFiguresWithinBounds checks the reports on all bundled sessions, of each capture and
// of both: averages and percentiles are between the extremes, and percentages between 0 and
// 100.
func TestFiguresWithinBounds(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob(filepath.Join(sessions, "v*", "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no sessions: %v", err)
	}
	for _, dir := range testrun.Few(dirs) {
		client, server := captureIn(t, dir, "client"), captureIn(t, dir, "server")
		for _, paths := range [][]string{{client}, {server}, {client, server}} {
			if slices.Contains(paths, "") {
				continue
			}
			text, err := json.Marshal(reportOn(t, paths[0], paths[1:]...))
			if err != nil {
				t.Fatal(err)
			}
			var doc any
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			b := bounds{name: strings.Join(paths, " and ")}
			b.walk(t, "", doc)
			if b.stats == 0 {
				t.Errorf("%s: no statistic", b.name)
			}
		}
	}
}

// captureIn returns the capture of one end of a session; empty if there is none
// in one file.
func captureIn(t *testing.T, dir, end string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, end+".pcap*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// bounds checks the figures of a report.
type bounds struct {
	name  string
	stats int // statistics seen
}

// walk checks what is at path and below.
func (b *bounds) walk(t *testing.T, path string, v any) {
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			b.walk(t, fmt.Sprintf("%s[%d]", path, i), e)
		}
	case map[string]any:
		b.stat(t, path, v)
		for name, e := range v {
			if name == "unavailable" {
				continue
			}
			if strings.HasSuffix(name, "percent") {
				b.percent(t, path+"."+name, e)
			}
			b.walk(t, path+"."+name, e)
		}
	}
}

// stat checks an object if it is a statistic with extremes.
func (b *bounds) stat(t *testing.T, path string, v map[string]any) {
	least, ok := v["min"].(float64)
	most, both := v["max"].(float64)
	if ok != both {
		t.Errorf("%s: %s has one extreme: %v, %v", b.name, path, v["min"], v["max"])
	}
	if !ok || !both {
		return
	}
	b.stats++
	for _, name := range []string{"avg", "p50", "p95", "p99", "cell_mean"} {
		if x, ok := v[name].(float64); ok && (x < least || x > most) {
			t.Errorf("%s: %s.%s is %v, min and max %v and %v", b.name, path, name, x, least, most)
		}
	}
}

// percent checks a percentage or a list of them.
func (b *bounds) percent(t *testing.T, path string, v any) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		if x, ok := e.(float64); ok && (x < 0 || x > 100) {
			t.Errorf("%s: %s is %v", b.name, path, x)
		}
	}
}
