package metrics

import (
	"testing"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// The handshake gives rtt_newest samples like data, even if only its third packet shows
// which subflow it belongs to. At A the SYN takes 20 ms, the data 21 ms. B's SYN/ACK is
// answered after 10 us, which is no round trip of a sender here.
func TestNewestCountsHandshake(t *testing.T) {
	var got *Connection
	table := conn.NewTable(conn.Options{}, NewCollector(Config{}, func(m *Connection) { got = m }))
	a, b := packet.Endpoint{Addr: [16]byte{15: 1}, Port: 1000}, packet.Endpoint{Addr: [16]byte{15: 2}, Port: 2000}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for i, s := range []packet.Segment{
		{Time: 0, Src: a, Dst: b, Seq: 99, Flags: packet.SYN},
		{Time: 20e6, Src: b, Dst: a, Seq: 499, Ack: 100, Flags: packet.SYN | packet.ACK},
		{Time: 20.01e6, Src: a, Dst: b, Seq: 100, Ack: 500, Flags: packet.ACK},
		{Time: 21e6, Src: a, Dst: b, Seq: 100, Ack: 500, Flags: packet.ACK, PayloadLen: 512},
		{Time: 42e6, Src: b, Dst: a, Seq: 500, Ack: 612, Flags: packet.ACK},
	} {
		s.Num, s.Time = uint64(i+1), start+s.Time
		table.Segment(&s)
	}
	table.Finish()
	if got == nil {
		t.Fatal("no connection was measured")
	}
	if role := got.Role(subflow.A); role != Sender {
		t.Fatalf("role of the capture for A's data: %v, want the sender's", role)
	}
	d := &got.Subs[0].Dir(subflow.A).Newest
	if d.N() != 2 || d.Min() != 20 || d.Max() != 21 {
		t.Errorf("%d samples from %v to %v ms, want 2 from 20 to 21 ms", d.N(), d.Min(), d.Max())
	}
	if n := got.Subs[0].Dir(subflow.B).Newest.N(); n != 0 {
		t.Errorf("%d samples for B, which is not here, want none", n)
	}
}
