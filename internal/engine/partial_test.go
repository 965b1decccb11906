package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// TestBegunLate analyses captures that begin in the middle of their sessions, so that the
// subflows of a connection become known after its first packets. Nothing of a connection
// begins before the connection.
func TestBegunLate(t *testing.T) {
	attached := 0
	for _, name := range realCaptures {
		whole := framesOf(t, session(name))
		n := len(whole.list)
		for _, percent := range []int{10, 30, 50, 70} {
			file := whole.only(func(i int) bool { return i >= n*percent/100 }).pcapng()
			r := analyzeWith(t, everything(bytes.NewReader(file)), &rowCheck{sound: true})
			for i := range r.doc.Connections {
				c := &r.doc.Connections[i]
				at := fmt.Sprintf("%s without its first %d %%, connection %d", name, percent, c.ID)
				for _, s := range c.Subflows {
					if s.StartS < 0 || s.EndS < s.StartS || s.EndS > c.DurationS {
						t.Errorf("%s: subflow %d from %v s to %v s of %v s", at, s.ID, s.StartS, s.EndS, c.DurationS)
					}
				}
				addsUp(t, c)
				for _, e := range c.Events {
					assert.Check(t, e.TS >= 0, "%s: %s at %v s", at, e.Kind, e.TS)
					if e.Kind == "subflow_attached" && e.TS == 0 {
						attached++
					}
				}
			}
		}
	}
	assert.Check(t, attached != 0, "no connection began with a subflow that was attached")
}

// data returns the bytes of all connections that went either way.
func data(conns []report.Connection) (a2b, b2a int64) {
	for i := range conns {
		for d, sum := range map[report.Direction]*int64{report.A2B: &a2b, report.B2A: &b2a} {
			if dir := conns[i].Dir(d); dir != nil { // null where the capture lacks it
				*sum += report.Known(dir.Bytes)
			}
		}
	}
	return a2b, b2a
}

// TestPairOneDirection pairs captures. One or both have only what one host sent. Figures
// still add up, and all data in the captures is in the report.
func TestPairOneDirection(t *testing.T) {
	t.Parallel()
	const server = 5001
	sessions := []string{"v1/p-nat", "v1/l-spurious", "v1/l-single-loss", "v0/upload"}
	const parts = 6                                                     // of each session, below
	share := len(sessions) * parts / testrun.Cases(len(sessions)*parts) // of the cases one in so many is tried
	for i, name := range sessions {
		var whole [2]frames // client's and server's
		var segments [2][]packet.Segment
		for e, end := range []string{"client", "server"} {
			whole[e] = framesOf(t, session(name+"/"+end+".pcap.zst"))
			segments[e] = whole[e].segments()
		}
		sent := [2]func(e, i int) bool{ // by the host
			func(e, i int) bool { return segments[e][i].Src.Port != server },
			func(e, i int) bool { return segments[e][i].Src.Port == server },
		}
		all := func(int, int) bool { return true }
		for j, part := range [parts]struct {
			what string
			keep [2]func(e, i int) bool
		}{
			{"client's capture of what it sends", [2]func(e, i int) bool{sent[0], all}},
			{"client's capture of what it gets", [2]func(e, i int) bool{sent[1], all}},
			{"server's capture of what it sends", [2]func(e, i int) bool{all, sent[1]}},
			{"server's capture of what it gets", [2]func(e, i int) bool{all, sent[0]}},
			{"each capture of what its host sends", [2]func(e, i int) bool{sent[0], sent[1]}},
			{"each capture of what its host gets", [2]func(e, i int) bool{sent[1], sent[0]}},
		} {
			if (i+j)%share != 0 {
				continue
			}
			what, keep := part.what, part.keep
			var files [2]string
			var shown [2][2]int64 // by capture and direction
			for e := range files {
				part := whole[e].only(func(i int) bool { return keep[e](e, i) })
				files[e] = part.saved(t)
				shown[e][0], shown[e][1] = data(analyzed(t, wholly(files[e])).Connections)
			}
			for first := range files {
				o := everything(nil)
				o.Paths, o.Receiver = files[first:first+1], files[1-first:2-first]
				doc := analyzeWith(t, o, &rowCheck{}).doc
				at := fmt.Sprintf("%s, %s, captures %d and %d", name, what, first, 1-first)
				for i := range doc.Connections {
					addsUp(t, &doc.Connections[i])
				}
				a2b, b2a := data(doc.Connections)
				if a2b != cmp.Or(shown[0][0], shown[1][0]) || b2a != cmp.Or(shown[1][1], shown[0][1]) {
					t.Errorf("%s: %d and %d bytes; the client's capture shows %d, the server's %d", at, a2b, b2a, shown[0], shown[1])
				}
			}
		}
	}
}
