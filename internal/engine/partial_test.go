package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"mpanalyze/internal/report"
)

// TestBegunLate analyses captures that began in the middle of their sessions,
// so that what a connection consists of shows after its first packets: nothing
// of it begins before it does.
func TestBegunLate(t *testing.T) {
	attached := 0
	for _, name := range realCaptures {
		whole := load(t, name, 0)
		n := whole.packets()
		for _, percent := range []int{10, 30, 50, 70} {
			file := whole.only(func(i int) bool { return i >= n*percent/100 }).file
			r := analyzeWith(t, everything(bytes.NewReader(file)), &rowCheck{sound: true})
			for i := range r.doc.Connections {
				c := &r.doc.Connections[i]
				at := fmt.Sprintf("%s without its first %d %%, connection %d", name, percent, c.ID)
				for _, s := range c.Subflows {
					if s.StartS < 0 || s.EndS < s.StartS || s.EndS > c.DurationS {
						t.Errorf("%s: subflow %d from %v s to %v s of %v s", at, s.ID, s.StartS, s.EndS, c.DurationS)
					}
				}
				adds(t, at, c)
				for _, e := range c.Events {
					if e.TS < 0 {
						t.Errorf("%s: %s at %v s", at, e.Kind, e.TS)
					}
					if e.Kind == "subflow_attached" && e.TS == 0 {
						attached++
					}
				}
			}
		}
	}
	if attached == 0 {
		t.Error("no connection began with a subflow that was attached")
	}
}

// adds checks that the figures of a connection are the sums of its subflows',
// and those of a subflow parts of each other.
func adds(t *testing.T, at string, c *report.Connection) {
	t.Helper()
	for way, d := range map[report.Direction]*report.ConnDir{report.A2B: &c.A2B, report.B2A: &c.B2A} {
		var unique, again, segments int64
		share := 0.0
		for i := range c.Subflows {
			s := &c.Subflows[i].A2B
			if way == report.B2A {
				s = &c.Subflows[i].B2A
			}
			if s.RetransmittedBytes > *s.Bytes || *s.BytesUnique != *s.Bytes-s.RetransmittedBytes || s.RetransmittedSegments > s.Segments {
				t.Errorf("%s, subflow %d, %s: %d of %d bytes sent again, %d unique, %d of %d segments",
					at, i, way, s.RetransmittedBytes, *s.Bytes, *s.BytesUnique, s.RetransmittedSegments, s.Segments)
			}
			unique, again, segments = unique+*s.BytesUnique, again+s.RetransmittedBytes, segments+s.Segments
			if s.Share != nil {
				share += *s.Share
			}
		}
		if d.RetransmittedBytes != again || d.Segments != segments || *d.Bytes != unique-*d.ReinjectedBytes {
			t.Errorf("%s, %s: %d bytes, %d sent again, %d reinjected, %d segments; its subflows have %d unique, %d sent again, %d segments",
				at, way, *d.Bytes, d.RetransmittedBytes, *d.ReinjectedBytes, d.Segments, unique, again, segments)
		}
		if *d.Bytes > 0 && math.Abs(share-100) > 1e-9 {
			t.Errorf("%s, %s: shares add up to %v %% of %d bytes", at, way, share, *d.Bytes)
		}
	}
}
