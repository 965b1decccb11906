package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
)

// The memory of small connections is used again: servers see thousands a
// minute, of 30 kB in a hundred pieces each.
const (
	// maxSpare bounds the connections that wait to be used again.
	maxSpare = 64
	// maxSpareSubs bounds the subflows of one.
	maxSpareSubs = 4
	// maxSpareBytes is the payload from which on a connection is not small,
	// and its distributions may be large.
	maxSpareBytes = 256 << 10
	// maxSpareEvents bounds the events for which one keeps room.
	maxSpareEvents = 64
)

// Reuse gives back the memory of a connection whose figures nobody needs any
// more. Any goroutine may call it.
func (k *Collector) Reuse(m *Connection) {
	if cap(m.Subs) > maxSpareSubs || m.payload() >= maxSpareBytes {
		return
	}
	m.reset()
	select {
	case k.spares <- m:
	default:
	}
}

// payload returns the octets that the subflows of m carried, copies included.
func (m *Connection) payload() (n int64) {
	for _, s := range m.Subs {
		n += s.Sub.Half[conn.A].Bytes + s.Sub.Half[conn.B].Bytes
	}
	return n
}

// empty returns a connection without figures.
func (k *Collector) empty() *Connection {
	select {
	case m := <-k.spares:
		return m
	default:
		return new(Connection)
	}
}

// reset empties m and everything below it. Of the old state the lists stay,
// which grow again to about what they were; those that are missing here are
// made anew.
func (m *Connection) reset() {
	events := m.Events[:0]
	if cap(events) > maxSpareEvents {
		events = nil
	}
	clear(m.Events) // the texts are not ours to keep
	for side := range m.Dirs {
		m.Dirs[side].reset()
	}
	*m = Connection{Dirs: m.Dirs, Subs: m.Subs[:0], Events: events, ways: m.ways[:0]}
}

// sub returns a subflow without figures, as the last of m.
func (m *Connection) sub() *Sub {
	n := len(m.Subs)
	if n == cap(m.Subs) || m.Subs[:n+1][n] == nil {
		m.Subs = append(m.Subs, new(Sub))
		return m.Subs[n]
	}
	m.Subs = m.Subs[:n+1]
	s := m.Subs[n]
	for side := range s.Dirs {
		s.Dirs[side].reset()
	}
	*s = Sub{Dirs: s.Dirs}
	return s
}

func (d *Dir) reset() {
	*d = Dir{
		ProtocolDelay: d.ProtocolDelay.Emptied(), HoLDegree: d.HoLDegree.Emptied(), HoLBlocking: d.HoLBlocking.Emptied(),
		HoLDegreeAllPaths: d.HoLDegreeAllPaths.Emptied(),
		Order: Order{
			Offset: d.Order.Offset.Emptied(), ExtentChunks: d.Order.ExtentChunks.Emptied(),
			ExtentMS: d.Order.ExtentMS.Emptied(), ExtentBytes: d.Order.ExtentBytes.Emptied(),
			Buffer: buffer{Chunks: d.Order.Buffer.Chunks.Emptied()}, arrivals: arrivals{runs: emptied(d.Order.runs)},
		},
		Throughput: Rate{Cells: d.Throughput.Cells.Emptied()}, Goodput: Rate{Cells: d.Goodput.Cells.Emptied()},
		Window: Window{Rwnd: d.Window.Rwnd.Emptied(), Free: d.Window.Free.Emptied()},
		Awnd:   Awnd{Delta: d.Awnd.Delta.Emptied()},
		queue:  holQueue{Bytes: d.queue.Bytes.Emptied(), Segments: d.queue.Segments.Emptied(), tail: seq.Emptied(d.queue.tail)},
	}
}

func (d *SubDir) reset() {
	*d = SubDir{
		RTT: d.RTT.Emptied(), RTTNewest: d.RTTNewest.Emptied(), SRTT: d.SRTT.Emptied(), RTTVar: d.RTTVar.Emptied(), RTO: d.RTO.Emptied(),
		InFlight:  d.InFlight.Emptied(),
		PathDelay: d.PathDelay.Emptied(), waiting: d.waiting.Emptied(), HoLWait: d.HoLWait.Emptied(), InOrderWait: d.InOrderWait.Emptied(),
		Rate:   Rate{Cells: d.Rate.Cells.Emptied()},
		Bursts: Bursts{Bytes: d.Bursts.Bytes.Emptied(), Duration: d.Bursts.Duration.Emptied()},
		Cwnd: Cwnd{
			Bytes: d.Cwnd.Bytes.Emptied(), Segments: d.Cwnd.Segments.Emptied(), Throughput: d.Cwnd.Throughput.Emptied(),
			Decisions: Decisions{Next: d.Cwnd.Decisions.Next.Emptied()},
		},
		DSR:      DSR{Rates: d.DSR.Rates.Emptied()},
		smoothed: smoothed{samples: d.samples},
	}
}
