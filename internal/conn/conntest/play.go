// Package conntest plays generated sessions to a table of connections. Tests of
// observers use it.
package conntest

import (
	"slices"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// Play gives a module the packets of a session that view v saw. It leaves out the
// packets whose numbers are in missed; the first packet has number 1.
func Play(t testing.TB, s *tracegen.Session, v tracegen.View, module conn.Module, missed ...int) {
	t.Helper()
	table := conn.NewTable(conn.Options{}, module)
	decoder := decode.New(decode.Options{})
	var seg packet.Segment
	packets := s.Packets(v)
	for i := range packets {
		if slices.Contains(missed, i+1) {
			continue
		}
		frame, wire := packets[i].AppendFrame(nil, tracegen.LinkRaw)
		raw := capture.Raw{Num: uint64(i + 1), Time: packets[i].Time, WireLen: wire, Link: capture.LinkRaw, Data: frame}
		if got := decoder.Decode(&raw, &seg); got != decode.TCP {
			t.Fatalf("packet %d: %v", i+1, got)
		}
		seg.SetPayload(decoder.Payload(&seg))
		table.Segment(&seg)
	}
	table.Finish()
}
