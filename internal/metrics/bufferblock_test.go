package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
)

// dataAck is a DATA_ACK in a packet of B: its position, the window in bytes, and
// the end of the data that A had sent by then.
type dataAck struct {
	ack  seq.DSN
	size int64
	sent seq.DSN
}

// dataAcks returns DATA_ACKs, most of which repeat the one before, up to a hundred times.
func dataAcks(rng *rand.Rand, n int) (list []dataAck) {
	a := dataAck{ack: 1, size: 1 << 15}
	for range n {
		switch rng.IntN(3) {
		case 0:
			a.ack += seq.DSN(rng.IntN(5000))
		case 1:
			a.size = int64(1+rng.IntN(8)) << 12
		default:
			a.ack += 1000
			a.size -= a.size / 16
		}
		sends := rng.IntN(3) == 0
		for range 1 + rng.IntN(2)*rng.IntN(100) {
			if sends {
				a.sent = max(a.sent, a.ack) + seq.DSN(rng.IntN(2)*100)
			}
			list = append(list, a)
		}
	}
	return list
}

// model has the windows that DATA_ACKs offer, computed one by one.
type model struct {
	rwnd, free, delta stats.Dist
	blocks, lasted    int64
	depth             float64
}

func modelOf(list []dataAck) (m model) {
	var rightEdge, next seq.DSN
	sum, least, most, since := 0.0, math.Inf(1), 0.0, -1
	prev := math.NaN()
	for i, a := range list {
		next = max(next, a.ack, a.sent)
		rightEdge = max(rightEdge, a.ack+seq.DSN(a.size))
		size := float64(a.size)
		sum, least, most = sum+size, min(least, size), max(most, size)
		m.rwnd.Add(size)
		m.free.Add(float64(rightEdge - next))
		if least == most {
			continue
		}
		delta := (size - sum/float64(i+1)) / (most - least)
		m.delta.Add(delta)
		if falling := delta < 0 && delta < prev; falling && since < 0 {
			since = i
			m.blocks++
		} else if !falling && since >= 0 {
			m.lasted += int64(i - since)
			since = -1
		}
		if since >= 0 {
			m.depth = max(m.depth, -delta)
		}
		prev = delta
	}
	if since >= 0 {
		m.lasted += int64(len(list) - since)
	}
	return m
}

// window passes a to d.
func (a dataAck) window(d *DataDir, now int64) {
	if at := d.space.SndNxt(); a.sent > at {
		sub, found := d.space.NewSubflow(0), new(dss.Result)
		run := seq.Range[seq.SSN]{Start: 1, End: 1 + seq.SSN(a.sent-at)}
		d.space.AddMapping(sub, &dss.Mapping{SSN: run, DSN: at}, nil, found)
		d.space.AddPayload(sub, &dss.Payload{Range: run, New: true, SegmentBytes: 1, Packet: 1, Time: now}, found)
	}
	d.space.DataAck(a.ack, now, new(dss.Result))
	s := &packet.Segment{Num: 1, Time: now, Window: uint16(a.size)}
	f := &d.m.Subs[0].flows[conn.B]
	f.settled, f.shift = true, 0
	d.m.Packet(&conn.Packet{Seg: s, SubflowDir: &conn.SubflowDir{Conn: d.m.Conn, Sub: f.sub.Sub, From: conn.B, DirIndex: 1}, HasDataAck: true, DataAck: a.ack})
}

// bare returns a connection of one subflow.
func bare(cfg Config) *Connection {
	m := NewCollector(cfg, func(*Connection) {}).Open(&conn.Conn{}).(*Connection)
	m.Subflow(&conn.Subflow{Conn: m.Conn})
	m.make(m.Subs[0])
	m.Conn.Spaces[conn.A].SetIDSN(1 << 40)
	return m
}

// TestWindowsAgainstModel compares rwnd, rwnd_free, awnd_delta and rb2loc with their
// definitions, for DATA_ACKs most of which repeat the one before.
func TestWindowsAgainstModel(t *testing.T) {
	for seed := range uint64(20) {
		list := dataAcks(rand.New(rand.NewPCG(seed, 1)), 300)
		want := modelOf(list)
		d := bare(Config{}).Dir(conn.A)
		for i, a := range list {
			a.window(d, int64(1+i))
		}
		d.close(int64(1 + len(list)))
		alike(t, "rwnd", &d.Window().Rwnd, &want.rwnd)
		alike(t, "rwnd_free", &d.Window().Free, &want.free)
		alike(t, "awnd_delta", &d.Awnd().Delta, &want.delta)
		if a := d.Awnd(); a.Blocks != want.blocks || a.Time != want.lasted || math.Abs(a.Depth-want.depth) > 1e-12 || a.n != int64(len(list)) {
			t.Errorf("seed %d: %d blocks of %d ns, %v deep, of %d windows; want %d of %d, %v, of %d",
				seed, a.Blocks, a.Time, a.Depth, a.n, want.blocks, want.lasted, want.depth, len(list))
		}
	}
}

// alike fails if two distributions differ by more than rounding.
func alike(t *testing.T, what string, got, want *stats.Dist) {
	t.Helper()
	dist(t, what, got, want.N(), want.Mean(), want.Min(), want.Max())
	near(t, what+" deviation", got.Describe().Stddev, want.Describe().Stddev)
}
