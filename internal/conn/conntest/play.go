// Package conntest shows generated sessions to a table of connections, for tests of
// what observes one.
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

// Play shows a module what a view saw of a session, but for the packets with the
// numbers in missed, from 1 on.
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
		seg.SetPayload(decoder.Payload(&raw, &seg))
		table.Segment(&seg)
	}
	table.Finish()
}
