package engine_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
)

// sane checks what is true of every report: no count is below zero, no part above its
// whole, no time outside the capture, and the subflows add up to their connection.
// [reporttest.Check] checks that every null has its reason.
func sane(t *testing.T, doc *report.Document) {
	t.Helper()
	inRange(t, "", reflect.ValueOf(doc).Elem())
	durations(t, doc)
	consistent(t, doc)
}

// consistent checks what sane does without a look at every field.
func consistent(t *testing.T, doc *report.Document) {
	t.Helper()
	at := period{math.Inf(-1), math.Inf(1)} // where the clock was set, the times are not those in the file
	if c := doc.Captures[0]; len(doc.Captures) == 1 && len(doc.Warnings) == 0 && c.First != nil {
		at = period{float64(*c.First-epoch)/1e9 - 1e-6, float64(*c.Last-epoch)/1e9 + 1e-6}
	}
	for i := range doc.Connections {
		if c := &doc.Connections[i]; !c.Short {
			insane(t, c, at)
		}
	}
	for i := range doc.TCP {
		if c := &doc.TCP[i]; !c.Short && !at.holds(c.Start, c.StartS, c.EndS) {
			t.Errorf("tcp %d: from %v s to %v s behind %v, which is outside of the capture", i, c.StartS, c.EndS, c.Start)
		}
	}
}

// epoch is near the times of all captures, so that a float64 holds differences from it to
// some nanoseconds.
var epoch = report.Time(time.Date(2026, time.June, 1, 0, 0, 0, 0, time.UTC).UnixNano())

// period is the time of a capture, in seconds since epoch.
type period struct{ first, last float64 }

// holds reports whether a time so many seconds after start is in the period. Capture times
// that go back may be before the start of their connection, but not before that of the
// capture.
func (p period) holds(start report.Time, seconds ...float64) bool {
	for _, s := range seconds {
		if x := float64(start-epoch)/1e9 + s; !(p.first <= x && x <= p.last) {
			return false
		}
	}
	return true
}

// insane checks a connection in the capture of a period.
func insane(t *testing.T, c *report.Connection, at period) {
	t.Helper()
	if c.DurationS < 0 || !at.holds(c.Start, c.DurationS) {
		t.Errorf("connection %d lasts %v s from %v on, which is outside of the capture", c.ID, c.DurationS, c.Start)
	}
	for i := range c.Subflows {
		if s := &c.Subflows[i]; s.EndS < s.StartS || !at.holds(c.Start, s.StartS, s.EndS) {
			t.Errorf("connection %d, subflow %d: from %v s to %v s behind %v, which is outside of the capture", c.ID, i, s.StartS, s.EndS, c.Start)
		}
	}
	for i := range c.Events {
		if e := &c.Events[i]; !at.holds(c.Start, e.TS) {
			t.Errorf("connection %d: %s at %v s behind %v, which is outside of the capture", c.ID, e.Kind, e.TS, c.Start)
		}
	}
	addsUp(t, c)
}

// addsUp checks that the figures of a connection are the sums of its subflows'.
func addsUp(t *testing.T, c *report.Connection) {
	t.Helper()
	for _, dir := range report.Directions {
		total(t, c, dir)
	}
}

// total compares what a connection sent in one direction with the sum over its subflows.
func total(t *testing.T, c *report.Connection, direction report.Direction) {
	t.Helper()
	d := c.Dir(direction)
	if d == nil {
		return
	}
	var segments, again, unique int64
	share, known := 0.0, true
	for i := range c.Subflows {
		s := c.Subflows[i].Dir(direction)
		if s == nil {
			return
		}
		segments, again = segments+s.Segments, again+s.RetransmittedBytes
		if s.RetransmittedSegments > s.Segments || s.Bytes != nil && s.RetransmittedBytes > *s.Bytes {
			t.Errorf("connection %d, subflow %d, %s: more sent again than sent", c.ID, i, direction)
		}
		if s.BytesUnique == nil || s.Share == nil {
			known = false
			continue
		}
		if s.Bytes != nil && *s.BytesUnique != *s.Bytes-s.RetransmittedBytes {
			t.Errorf("connection %d, subflow %d, %s: %d bytes, %d sent again, %d unique", c.ID, i, direction, *s.Bytes, s.RetransmittedBytes, *s.BytesUnique)
		}
		unique, share = unique+*s.BytesUnique, share+*s.Share
	}
	if segments != d.Segments || again != d.RetransmittedBytes {
		t.Errorf("connection %d, %s: %d segments, %d bytes sent again; its subflows %d and %d", c.ID, direction, d.Segments, d.RetransmittedBytes, segments, again)
	}
	if !known || d.Bytes == nil || d.ReinjectedBytes == nil {
		return
	}
	if unique-*d.ReinjectedBytes != *d.Bytes {
		t.Errorf("connection %d, %s: %d bytes, %d reinjected; its subflows have %d unique ones", c.ID, direction, *d.Bytes, *d.ReinjectedBytes, unique)
	}
	assert.Check(t, *d.Bytes <= 0 || math.Abs(share-100) <= 1e-6, "connection %d, %s: shares add up to %v %%", c.ID, direction, share)
}

// inRange searches for values that no count, length, duration or share can have.
func inRange(t *testing.T, at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			inRange(t, at, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			inRange(t, at, v.Index(i))
		}
	case reflect.Struct:
		extremes(t, at, v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := at
			if !f.Anonymous {
				name += "." + report.JSONName(f)
			}
			if f.IsExported() && report.JSONName(f) != report.NoJSON {
				inRange(t, name, v.Field(i))
			}
		}
	case reflect.Int, reflect.Int64, reflect.Int32:
		if v.Int() < 0 && v.Type().Name() != "Time" {
			t.Errorf("%s is %d", at, v.Int())
		}
	case reflect.Float64:
		if x := v.Float(); strings.HasSuffix(at, "percent") && !(0 <= x && x <= 100+1e-9) {
			t.Errorf("%s is %v", at, x)
		}
	}
}

// extremes checks that the averages and percentiles of a statistic lie between its extremes.
func extremes(t *testing.T, at string, v reflect.Value) {
	t.Helper()
	value := func(name string) (float64, bool) {
		f := reflect.Indirect(v.FieldByName(name))
		if !f.IsValid() || f.Kind() != reflect.Float64 {
			return 0, false
		}
		return f.Float(), true
	}
	least, ok := value("Min")
	most, both := value("Max")
	assert.Check(t, ok == both, "%s has one extreme", at)
	if !ok || !both {
		return
	}
	for _, name := range []string{"Avg", "P50", "P95", "P99", "CellMean"} {
		if x, ok := value(name); ok && (x < least || x > most) {
			t.Errorf("%s: %s is %v, min and max %v and %v", at, name, x, least, most)
		}
	}
}
