package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/stats"
)

// TestNoAllocationPerPacket runs everything that follows a packet until its distributions
// are histograms, and then counts allocations.
func TestNoAllocationPerPacket(t *testing.T) {
	m := NewCollector(Config{QoE: DefaultQoE}, func(*Connection) {}).Open(&conn.Conn{}).(*Connection)
	m.Subflow(&conn.Subflow{Conn: m.Conn})
	m.make(m.Subs[0])
	d, s := m.dir(conn.A), m.Subs[0].Dir(conn.A)
	d.role, d.why = Receiver, nil // of the figures alone
	dsr, cwnd := made(d, &d.dsr).subs.of(s), made(d, &d.cwnd).subs.of(s)
	s.sample(20e6, 0)
	var p conn.Packet
	p.Seg, p.SubflowDir = new(packet.Segment), &conn.SubflowDir{Sub: m.Subs[0].Sub}
	now := int64(1e9)
	step := func() {
		now += 1e6
		// Windows that only grow give no rb2loc event; the text of such an event allocates.
		d.dataAck(&p, 1<<20+now>>20, now)
		dsr.arrived(s, 1000, now)
		cwnd.sent(s, 5000+now%1000, now)
	}
	for range 100 * stats.ExactLimit {
		step()
	}
	if s.Cwnd().Bytes.N() <= stats.ExactLimit || s.DSR().Rates.N() <= stats.ExactLimit || d.Awnd().Delta.N() <= stats.ExactLimit {
		t.Fatal("the warm-up is too short")
	}
	if n := testing.AllocsPerRun(10000, step); n != 0 {
		t.Errorf("%v allocations per packet", n)
	}
}
