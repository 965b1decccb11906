package jsonreport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/report"
)

// TestJSONShort holds what is written of short reports to the types of the short
// forms: each record has their fields, in their order, and nothing else.
func TestJSONShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := report.Document{Schema: report.SchemaName, Connections: make([]report.Connection, 1), TCP: make([]report.TCP, 1)}
		c, p := &d.Connections[0], &d.TCP[0]
		fill(r, reflect.ValueOf(c).Elem())
		fill(r, reflect.ValueOf(p).Elem())
		c.Short, p.Short = true, true
		if c.Verdicts == nil {
			c.Verdicts = new(report.List[report.Verdict])
		}
		text := written(t, &d)
		var lists struct{ Connections, TCP []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &lists); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		again(t, lists.Connections[0], new(report.ShortConnection))
		again(t, lists.TCP[0], new(report.ShortTCP))
	}
}

// again decodes a record and demands that encoding/json makes the same of it.
func again(t *testing.T, text json.RawMessage, form any) {
	t.Helper()
	if bytes.ContainsRune(text, '\n') {
		t.Errorf("on several lines: %s", text)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(form); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var got, want any
	if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte(standard(t, form)), &want)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", text, diff)
	}
}
