package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/report"
)

// conn merges the data level of one connection. If one capture shows parts of it as
// separate connections, the figures of the sender's capture stay.
func (m *merger) conn(c *pair.Conn, whole bool) {
	x, y := m.s.kept[c.ID[0]].conn, m.r.kept[c.ID[1]].conn
	if x == nil || y == nil {
		return
	}
	if !whole {
		unmatchedConn(x.A2B, split)
		unmatchedConn(x.B2A, split)
		return
	}
	there := [2]*report.ConnDir{y.A2B, y.B2A}
	if c.Flipped {
		there[0], there[1] = there[1], there[0]
	}
	for side, out := range []*report.ConnDir{x.A2B, x.B2A} {
		m.rename(there[side], c.ID[1])
		m.connDir(out, there[side], c, conn.Side(side))
		if c.At[side] == pair.AtSender {
			m.waits(x, y, c, conn.Side(side))
		}
		if d := c.Dirs[side]; d.OneSided == 0 && d.Delivery.Raw.N() > 0 {
			certify(x, out, conn.Side(side))
		}
	}
}

// rename replaces numbers and paths of subflows in the receiver's capture by those of
// the sender's.
func (m *merger) rename(d *report.ConnDir, id int) {
	name := func(sub *int, path *string) {
		if s := m.subs[[2]int{id, *sub}]; s != nil {
			*sub = s.ID
			if path != nil {
				*path = s.Path
			}
		}
	}
	for i := range d.Paths {
		p := &d.Paths[i]
		for j := range p.Subflows {
			name(&p.Subflows[j], &p.Path)
		}
	}
	handovers := report.Known(d.Handovers)
	for i := range handovers {
		name(&handovers[i].From, nil)
		name(&handovers[i].To, nil)
	}
	if d.RecPathList != nil {
		for i := range d.RecPathList.Without {
			p := &d.RecPathList.Without[i]
			name(&p.Subflow, &p.Path)
		}
	}
}

// connDir merges one direction of a connection's data.
func (m *merger) connDir(out, there *report.ConnDir, c *pair.Conn, from conn.Side) {
	if c.At[from] == pair.AtReceiver {
		*out, *there = *there, *out
	}
	if out.Segments == 0 && there.Segments > 0 {
		*out, *there = *there, *out
		unmatchedConn(out, noFirst)
		return
	}
	m.delivery(out, there, c.Dirs[from])
	m.take(out, there, &out.Unavailable, there.Unavailable)
}

// delivery fills in the figures of one direction that need both captures.
func (m *merger) delivery(out, there *report.ConnDir, d *pair.DataDir) {
	w := &out.Unavailable
	if why := cutReason(out, there); why != "" {
		unmatchedConn(out, why)
		return
	}
	if s := m.delays(w, "end_to_end_delay_ms", &d.Delivery); s != nil {
		out.EndToEnd = &report.DeliveryStat{Stat: *s, Unmatched: d.Unmatched}
	} else if d.Unmatched > 0 && d.Delivery.Raw.N() == 0 {
		w.Set("end_to_end_delay_ms", noFirst)
	}
	if d.ReinjectionFirst+d.OriginalFirst > 0 {
		out.ReinjectionWorth = &report.ReinjectionWorth{FirstBytes: d.ReinjectionFirst, WastedBytes: d.OriginalFirst, Lead: m.s.memory.Stat(&d.Lead, report.Matched), Evidence: report.Matched}
		w.Settle("reinjection_worth", false, "")
	}
	if out.ReinjectionWorth != nil {
		w.Settle("reinjection_worth.lead_ms", out.ReinjectionWorth.Lead == nil, noLead)
	}
}

// unmatchedConn sets the reason for metrics that need both captures.
func unmatchedConn(d *report.ConnDir, why string) {
	d.Unavailable.Set("end_to_end_delay_ms", why)
	if d.ReinjectionWorth != nil {
		d.Unavailable.Set("reinjection_worth.lead_ms", why)
	}
}

// cutReason returns why one of two captures does not show all data of a
// direction; empty where both do.
func cutReason(captures ...*report.ConnDir) string {
	for _, d := range captures {
		if d.Bytes == nil {
			why, _ := d.Unavailable.Of("bytes")
			return why
		}
	}
	return ""
}

// certify marks the delays of one direction's data as matched, because both captures
// show every byte: one shows when it left and was acknowledged, the other when it
// arrived and was in order. The HoL degree is not marked, because it needs round trips,
// and the receiver's capture shows these only by timestamps.
func certify(c *report.Connection, out *report.ConnDir, from conn.Side) {
	delays := []*report.Stat{out.ProtocolDelay, out.HoLQueueBytes, out.HoLQueueSegments}
	for i := range c.Subflows {
		d := c.Subflows[i].A2B
		if from == conn.B {
			d = c.Subflows[i].B2A
		}
		delays = append(delays, d.PathDelay, d.WaitingTime, d.InOrderWait)
		if d.HoLWait != nil {
			delays = append(delays, &d.HoLWait.Stat)
		}
	}
	for _, s := range delays {
		if s != nil {
			s.Evidence = report.Matched
		}
	}
}
