package conn

import (
	"slices"

	"mpanalyze/internal/subflow"
)

// Gap is a place of the capture at which packets of a connection are missing: their data was
// acknowledged, and they are not in the file. They passed somewhere between two captured packets.
type Gap struct {
	Before, After subflow.Stamp
	Missing       []Missing // by subflow and sender; never empty; at most two of each subflow
}

// Missing is what is known to be missing of one direction of a subflow.
type Missing struct {
	Subflow int
	From    Side
	Bytes   int64
}

// Duration returns the time from the packet before the gap to the one after it, ns.
func (g *Gap) Duration() int64 { return g.After.Time - g.Before.Time }

// maxGaps bounds the gaps of one connection that are kept: the longest ones and the latest.
const maxGaps = 64

// gaps are the gaps of one connection.
type gaps struct {
	list    []Gap // in the order in which they showed; bounded by maxGaps
	omitted int64 // number of others
	bytes   int64 // what is missing in all of them
	until   int64 // end of the latest one that changes measured times, ns; 0 for none
}

// Gaps returns the longest gaps of the capture that the connection shows, the number of the others,
// and how many bytes are missing in all of them.
func (c *Conn) Gaps() (list []Gap, omitted, bytes int64) {
	if c.gaps == nil {
		return nil, 0, 0
	}
	return c.gaps.list, c.gaps.omitted, c.gaps.bytes
}

// LatestGap returns the gap that showed last; nil for none.
func (c *Conn) LatestGap() *Gap {
	if c.gaps == nil || len(c.gaps.list) == 0 {
		return nil
	}
	return &c.gaps.list[len(c.gaps.list)-1]
}

// SentBeforeGap reports whether data that was sent at time at, ns, may have been acknowledged in a
// gap that was seen since. Then the first acknowledgment in the capture may be too late.
func (c *Conn) SentBeforeGap(at int64) bool { return c.gaps != nil && at < c.gaps.until }

// tellOfGap tells the direction that a packet acknowledges up to when packets of the connection
// are missing.
func (c *Conn) tellOfGap(d *SubflowDir) {
	if c.gaps != nil {
		d.tcp.Peer().MissedUntil(c.gaps.until)
	}
}

// takeGaps takes the gaps that a packet shows, and those that it fills. Mostly there are
// none.
func (p *Packet) takeGaps() {
	if len(p.TCP.Ack.Gaps)+len(p.TCP.Sent.Found) > 0 {
		p.Conn.takeGapsOf(p)
	}
}

func (c *Conn) takeGapsOf(p *Packet) {
	for i := range p.TCP.Ack.Gaps {
		// Data that was sent before the capture began is no gap. The first packet of a subflow may be a copy, and
		// what lies between it and the next one was in flight then.
		g, leastRTT := &p.TCP.Ack.Gaps[i], p.Sub.Senders[p.From.Other()].RTT.Min
		if before := g.Before.Packet == 0 || p.Sub.NoSYN && g.After.Time-p.Sub.Start <= max(leastRTT, unknownRTT); g.Bytes > 0 && !before {
			c.noteGap(g, Missing{p.Sub.ID, p.From.Other(), g.Bytes}, leastRTT)
		}
	}
	for i := range p.TCP.Sent.Found {
		c.foundData(&p.TCP.Sent.Found[i], Missing{p.Sub.ID, p.From, p.TCP.Sent.Found[i].Bytes})
	}
}

// unknownRTT stands for a round trip that is not known yet, ns.
const unknownRTT = 10e6

// shortGap says which gaps hardly change a measured time: those shorter than this part of the
// least round trip.
const shortGap = 8

// noteGap adds what is missing to the gap that overlaps this one, or to a new one. Packets
// of all subflows and of both directions are mostly missing together: then the gap lies
// where all these places overlap.
func (c *Conn) noteGap(g *subflow.Gap, m Missing, leastRTT int64) {
	if c.gaps == nil {
		c.gaps = &gaps{}
	}
	if shortGap*(g.After.Time-g.Before.Time) > leastRTT {
		c.gaps.until = max(c.gaps.until, g.After.Time)
	}
	c.gaps.bytes += m.Bytes
	x := c.gaps.overlapping(g)
	if x == nil {
		c.gaps.add(Gap{g.Before, g.After, []Missing{m}})
		return
	}
	if g.Before.Time > x.Before.Time {
		x.Before = g.Before
	}
	if g.After.Time < x.After.Time {
		x.After = g.After
	}
	if have := x.missing(m); have != nil {
		have.Bytes += m.Bytes
	} else {
		x.Missing = append(x.Missing, m)
	}
}

// foundData takes data that was captured after its acknowledgment: it is not missing.
func (c *Conn) foundData(g *subflow.Gap, m Missing) {
	if c.gaps == nil {
		return
	}
	x := c.gaps.overlapping(g)
	if x == nil {
		return
	}
	have := x.missing(m)
	if have == nil {
		return
	}
	n := min(have.Bytes, m.Bytes)
	have.Bytes -= n
	c.gaps.bytes -= n
	x.Missing = slices.DeleteFunc(x.Missing, func(m Missing) bool { return m.Bytes == 0 })
	c.gaps.list = slices.DeleteFunc(c.gaps.list, func(g Gap) bool { return len(g.Missing) == 0 })
}

// overlapping returns the latest gap that overlaps g in time; nil for none. Numbers of packets do
// not tell that, because files are not sorted.
func (s *gaps) overlapping(g *subflow.Gap) *Gap {
	for i := len(s.list) - 1; i >= 0; i-- {
		if x := &s.list[i]; max(x.Before.Time, g.Before.Time) < min(x.After.Time, g.After.Time) {
			return x
		}
	}
	return nil
}

// add adds a gap. At the bound it drops the shortest of the others.
func (s *gaps) add(g Gap) {
	if len(s.list) >= maxGaps {
		shortest := 0
		for i := range s.list {
			if s.list[i].Duration() < s.list[shortest].Duration() {
				shortest = i
			}
		}
		s.list = slices.Delete(s.list, shortest, shortest+1)
		s.omitted++
	}
	s.list = append(s.list, g)
}

// missing returns what is missing of the direction of m; nil for nothing.
func (g *Gap) missing(m Missing) *Missing {
	for i := range g.Missing {
		if x := &g.Missing[i]; x.Subflow == m.Subflow && x.From == m.From {
			return x
		}
	}
	return nil
}
