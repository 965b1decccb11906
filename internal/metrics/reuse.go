package metrics

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/stats"
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
		ProtocolDelay: stats.Dist{}, HoLDegree: stats.Dist{}, HoLBlocking: stats.Dist{},
		HoLDegreeAllPaths: stats.Dist{},
		Order: Order{
			Offset: stats.Dist{}, ExtentChunks: stats.Dist{},
			ExtentMS: stats.Dist{}, ExtentBytes: stats.Dist{},
			Buffer: buffer{Chunks: stats.Dist{}}, arrivals: arrivals{runs: emptied(d.Order.runs)},
		},
		Throughput: Rate{Cells: stats.Dist{}}, Goodput: Rate{Cells: stats.Dist{}},
		Window: Window{Rwnd: stats.Dist{}, Free: stats.Dist{}},
		Awnd:   Awnd{Delta: stats.Dist{}},
		queue:  holQueue{Bytes: stats.Dist{}, Segments: stats.Dist{}, tail: seq.Emptied(d.queue.tail)},
	}
}

func (d *SubDir) reset() {
	*d = SubDir{
		RTT: stats.Dist{}, RTTNewest: stats.Dist{}, SRTT: stats.Dist{}, RTTVar: stats.Dist{}, RTO: stats.Dist{},
		InFlight:  stats.Dist{},
		PathDelay: stats.Dist{}, waiting: stats.Dist{}, HoLWait: stats.Dist{}, InOrderWait: stats.Dist{},
		Rate:   Rate{Cells: stats.Dist{}},
		Bursts: Bursts{Bytes: stats.Dist{}, Duration: stats.Dist{}},
		Cwnd: Cwnd{
			Bytes: stats.Dist{}, Segments: stats.Dist{}, Throughput: stats.Dist{},
			Decisions: Decisions{Next: stats.Dist{}},
		},
		DSR:      DSR{Rates: stats.Dist{}},
		smoothed: smoothed{samples: d.samples},
	}
}
