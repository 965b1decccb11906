package conn

import (
	"slices"

	"mpanalyze/internal/subflow"
)

// Gap is a place of the capture at which packets of a connection are missing: their data was
// acknowledged, and they are not in the file. They passed between two captured packets.
type Gap struct {
	Before, After subflow.Stamp
	Missing       []Missing // by subflow and sender; never empty
}

// Missing is what is known to be missing of one direction of a subflow.
type Missing struct {
	Subflow int
	From    Side
	Bytes   int64
}

// Duration returns the time from the packet before the gap to the one after it, ns.
func (g *Gap) Duration() int64 { return g.After.Time - g.Before.Time }

// maxGaps bounds the gaps of one connection that are listed.
const maxGaps = 64

// gaps are the gaps of one connection.
type gaps struct {
	list    []Gap // in the order in which they showed; bounded by maxGaps
	omitted int64
	latest  int64 // the latest end of a gap, ns
}

// Gaps returns the first gaps of the capture that the connection shows, and how many more
// there are.
func (c *Conn) Gaps() (list []Gap, omitted int64) {
	if c.gaps == nil {
		return nil, 0
	}
	return c.gaps.list, c.gaps.omitted
}

// SentBeforeGap reports whether data that was sent at time at, ns, may have been acknowledged in a
// gap that was seen since. Then the first acknowledgment in the capture may be too late.
func (c *Conn) SentBeforeGap(at int64) bool { return c.gaps != nil && at < c.gaps.latest }

// noteGaps notes the gaps that an acknowledgment of a subflow shows. Data that was sent
// before the capture began is no gap.
func (c *Conn) noteGaps(sub *Subflow, from Side, found []subflow.Gap) {
	for i := range found {
		if g := &found[i]; g.Bytes > 0 && g.Before.Packet != 0 {
			c.noteGap(g, Missing{sub.ID, from, g.Bytes})
			c.endWaits(g.After.Time, g.After.Time-g.Before.Time)
		}
	}
}

// endWaits notes for all subflows that packets are missing for so long before time now, ns.
func (c *Conn) endWaits(now, length int64) {
	for _, sub := range c.Subflows {
		for side := range sub.Senders {
			if sub.Senders[side].MissedUntil(now, length) {
				c.gaps.latest = max(c.gaps.latest, now)
			}
		}
	}
}

// noteGap adds what is missing to the gap that overlaps this one, or to a new one. Packets
// of all subflows and of both directions are mostly missing together: then the gap lies
// where all these places overlap.
func (c *Conn) noteGap(g *subflow.Gap, m Missing) {
	if c.gaps == nil {
		c.gaps = &gaps{}
	}
	for i := len(c.gaps.list) - 1; i >= 0; i-- {
		x := &c.gaps.list[i]
		if max(x.Before.Packet, g.Before.Packet) >= min(x.After.Packet, g.After.Packet) {
			continue
		}
		if g.Before.Packet > x.Before.Packet {
			x.Before = g.Before
		}
		if g.After.Packet < x.After.Packet {
			x.After = g.After
		}
		x.add(m)
		return
	}
	if len(c.gaps.list) >= maxGaps {
		c.gaps.omitted++
		return
	}
	c.gaps.list = append(c.gaps.list, Gap{g.Before, g.After, []Missing{m}})
}

// foundGaps takes data that was captured after its acknowledgment: it is not missing.
func (c *Conn) foundGaps(sub *Subflow, from Side, found []subflow.Gap) {
	if c.gaps == nil {
		return
	}
	for i := range found {
		g := &found[i]
		k := slices.IndexFunc(c.gaps.list, func(x Gap) bool {
			return max(x.Before.Packet, g.Before.Packet) < min(x.After.Packet, g.After.Packet)
		})
		if k < 0 {
			continue
		}
		x := &c.gaps.list[k]
		x.add(Missing{sub.ID, from, -g.Bytes})
		x.Missing = slices.DeleteFunc(x.Missing, func(m Missing) bool { return m.Bytes <= 0 })
		if len(x.Missing) == 0 {
			c.gaps.list = slices.Delete(c.gaps.list, k, k+1)
		}
	}
}

// add adds to what is missing.
func (g *Gap) add(m Missing) {
	for i := range g.Missing {
		if x := &g.Missing[i]; x.Subflow == m.Subflow && x.From == m.From {
			x.Bytes += m.Bytes
			return
		}
	}
	g.Missing = append(g.Missing, m)
}
