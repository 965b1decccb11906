package metrics

import (
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// TestManyChunks: a DATA_ACK that covers more chunks than a batch holds, of two
// subflows. The i-th of each waited i ms, and i+1 ms since its acknowledgment at
// the sender; of each subflow's mean every byte counts, so that longer chunks
// weigh more.
func TestManyChunks(t *testing.T) {
	const n = 3*stats.BatchSize + 7
	for _, role := range []Role{Sender, Receiver} {
		m := bare(Config{})
		m.Subflow(&conn.Subflow{Conn: m.Conn, ID: 1})
		m.make(m.Subs[1])
		d := m.Dir(conn.A)
		d.place(role)
		d.anchor(0)
		now := int64(10_000e6)
		var chunks []*dss.Chunk
		var bytes, area float64
		for sub := range int32(2) {
			bytes, area = 0, 0
			for i := range int64(n) {
				length := 100 + i
				chunks = append(chunks, &dss.Chunk{
					Data: seq.Range[seq.DSN]{Start: 1, End: 1 + seq.DSN(length)}, Sub: sub, FirstSeen: now - (i+1)*1e6, Acked: now - i*1e6,
				})
				bytes += float64(length)
				area += float64(length * i)
			}
			m.Subs[sub].Dir(conn.A).sample(5e6, 0)
		}
		d.delivered(chunks, now)
		if role == Receiver {
			d.placed(&conn.Packet{Seg: &packet.Segment{}, SubflowDir: &conn.SubflowDir{}, Result: dss.Result{InOrder: chunks}}, now)
		}
		wait := area / bytes // of chunks that were acknowledged on their subflow
		for sub := range m.Subs {
			s := m.Subs[sub].Dir(conn.A)
			if role == Sender {
				dist(t, "hol_wait", &s.Delays().HoLWait, n, wait, 0, n-1)
				dist(t, "path_delay", &s.Delays().Path, n, wait+1, 1, n)
				dist(t, "waiting_time", s.WaitingTime(), n, wait+1-5, 1-5, n-5)
				continue
			}
			dist(t, "hol_wait", &s.Delays().HoLWait, n, wait+1, 1, n)
			dist(t, "path_delay", &s.Delays().Path, n, wait+1+5, 1+5, n+5)
			dist(t, "in_order_wait", s.InOrderWait(), n, wait+1, 1, n)
		}
	}
}
