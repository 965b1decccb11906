package engine_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/decode"
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

// adds checks that the figures of a connection are the sums of its subflows', and that
// parts of a subflow's figures add up.
func adds(t *testing.T, at string, c *report.Connection) {
	t.Helper()
	for dir, d := range map[report.Direction]*report.ConnDir{report.A2B: c.A2B, report.B2A: c.B2A} {
		var unique, again, segments int64
		share := 0.0
		for i := range c.Subflows {
			s := c.Subflows[i].A2B
			if dir == report.B2A {
				s = c.Subflows[i].B2A
			}
			if s.RetransmittedBytes > *s.Bytes || *s.BytesUnique != *s.Bytes-s.RetransmittedBytes || s.RetransmittedSegments > s.Segments {
				t.Errorf("%s, subflow %d, %s: %d of %d bytes sent again, %d unique, %d of %d segments",
					at, i, dir, s.RetransmittedBytes, *s.Bytes, *s.BytesUnique, s.RetransmittedSegments, s.Segments)
			}
			unique, again, segments = unique+*s.BytesUnique, again+s.RetransmittedBytes, segments+s.Segments
			if s.Share != nil {
				share += *s.Share
			}
		}
		if d.RetransmittedBytes != again || d.Segments != segments || *d.Bytes != unique-*d.ReinjectedBytes {
			t.Errorf("%s, %s: %d bytes, %d sent again, %d reinjected, %d segments; its subflows have %d unique, %d sent again, %d segments",
				at, dir, *d.Bytes, d.RetransmittedBytes, *d.ReinjectedBytes, d.Segments, unique, again, segments)
		}
		if *d.Bytes > 0 && math.Abs(share-100) > 1e-9 {
			t.Errorf("%s, %s: shares add up to %v %% of %d bytes", at, dir, share, *d.Bytes)
		}
	}
}

// senders returns the source port of each packet of a capture, 0 where it is no
// TCP.
func senders(t *testing.T, file []byte) (ports []uint16) {
	t.Helper()
	source, err := capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	d := decode.New(decode.Options{KeepDuplicates: true})
	var raw capture.Raw
	var seg packet.Segment
	for source.Next(&raw) == nil {
		port := uint16(0)
		if d.Decode(&raw, &seg) == decode.TCP {
			port = seg.Src.Port
		}
		ports = append(ports, port)
	}
	return ports
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
		var whole [2]material // client's and server's
		var ports [2][]uint16
		for e, end := range []string{"client", "server"} {
			whole[e] = load(t, name+"/"+end+".pcap.zst", 0)
			ports[e] = senders(t, whole[e].file)
		}
		sent := [2]func(e, i int) bool{ // by the host
			func(e, i int) bool { return ports[e][i] != server },
			func(e, i int) bool { return ports[e][i] == server },
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
				files[e] = filepath.Join(t.TempDir(), "part.pcap")
				if err := os.WriteFile(files[e], part.file, 0o600); err != nil {
					t.Fatal(err)
				}
				shown[e][0], shown[e][1] = data(analyzeBytes(t, part.file).doc.Connections)
			}
			for first := range files {
				o := everything(nil)
				o.Paths, o.Receiver = files[first:first+1], files[1-first:2-first]
				doc := analyzeWith(t, o, &rowCheck{}).doc
				at := fmt.Sprintf("%s, %s, captures %d and %d", name, what, first, 1-first)
				for i := range doc.Connections {
					adds(t, fmt.Sprintf("%s, connection %d", at, i), &doc.Connections[i])
				}
				a2b, b2a := data(doc.Connections)
				if a2b != cmp.Or(shown[0][0], shown[1][0]) || b2a != cmp.Or(shown[1][1], shown[0][1]) {
					t.Errorf("%s: %d and %d bytes; the client's capture shows %d, the server's %d", at, a2b, b2a, shown[0], shown[1])
				}
			}
		}
	}
}
