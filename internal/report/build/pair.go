package build

import (
	"cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

const (
	noMatch = "no such packet of this direction is in both captures"
	noFirst = "the sender's capture shows of no data when it first left, only copies that left later"
	noLead  = "of no reinjected data is it known that it was under way when its copy left and that both arrived later: only then is the time between them measured"
	noFit   = "the packets of the two captures do not fit together: a middlebox rewrote what tells them apart"
)

// twoCaptureMetrics are the metrics of a subflow's direction that a capture at
// one host does not give.
var twoCaptureMetrics = []string{"owd_ms", "ack_owd_ms", "ipdv_ms", "jitter_ms", "network"}

// Merge makes the report on the sender's capture, of which b holds the
// connections, one on both: r holds those of the receiver's capture. Of each
// direction the figures that a sender shows come from the capture at the host
// that sends its data, those that a receiver shows from the other one. What
// only the receiver's capture holds comes behind; its first connection gets
// the number next. It returns how many connections begin earlier than the
// sender's capture shows. Call it before [Builder.Lists]; both builders need Keep.
func (b *Builder) Merge(r *Builder, flows []pair.Subflow, conns []pair.Conn, clocks *clock.Estimate, next int) (moved int64) {
	m := merger{s: b, r: r, clock: clocks, subs: map[[2]int]*report.Subflow{}, ids: map[[2]int]int{}}
	for i := range flows {
		m.flow(&flows[i])
	}
	same := whole(flows)
	for i := range conns {
		m.conn(&conns[i], same(&conns[i]))
	}
	m.alone(flows, next)
	for i := range flows {
		if c := b.kept[flows[i].ID[pair.AtSender].Conn].conn; c != nil {
			sumUp(c, b.part)
		}
	}
	m.faults(flows)
	return m.moved
}

// faults makes null what compares times that one of the captures spoils.
func (m *merger) faults(flows []pair.Subflow) {
	for i := range flows {
		x, y := m.s.kept[flows[i].ID[pair.AtSender].Conn], m.r.kept[flows[i].ID[pair.AtReceiver].Conn]
		why := cmp.Or(x.fault, y.fault)
		if x.conn != nil {
			connWithoutTimes(x.conn, why)
		}
		if x.tcp != nil {
			tcpWithoutTimes(x.tcp, why)
		}
	}
}

// merger makes one report of two.
type merger struct {
	s, r  *Builder
	clock *clock.Estimate
	subs  map[[2]int]*report.Subflow // of the merged report, by connection and subflow of the receiver's capture
	moved int64                      // connections that begin earlier than the sender's capture shows
	ids   map[[2]int]int             // numbers of connections of the receiver's capture, by those of the sender's and direction
}

// flow merges one TCP connection.
func (m *merger) flow(f *pair.Subflow) {
	far := [2]conn.Side{conn.A, conn.B}
	if f.Flipped {
		far = [2]conn.Side{conn.B, conn.A}
	}
	ends := [2]*report.Endpoint{new(endpoint(f.ID[1].Ends[far[0]])), new(endpoint(f.ID[1].Ends[far[1]]))}
	x, y := m.s.kept[f.ID[0].Conn], m.r.kept[f.ID[1].Conn]
	switch {
	case x.conn != nil && y.conn != nil:
		s, r := &x.conn.Subflows[f.ID[0].Sub], &y.conn.Subflows[f.ID[1].Sub]
		m.subs[[2]int{f.ID[1].Conn, f.ID[1].Sub}] = s
		s.ReceiverA, s.ReceiverB = ends[0], ends[1]
		there := [2]*report.SubDir{r.A2B, r.B2A}
		m.subDir(s.A2B, there[far[0]], f, conn.A)
		m.subDir(s.B2A, there[far[1]], f, conn.B)
	case x.tcp != nil && y.tcp != nil:
		x.tcp.ReceiverA, x.tcp.ReceiverB = ends[0], ends[1]
		there := [2]*report.SubDir{y.tcp.A2B, y.tcp.B2A}
		m.subDir(x.tcp.A2B, there[far[0]], f, conn.A)
		m.subDir(x.tcp.B2A, there[far[1]], f, conn.B)
	case x.conn != nil: // an option was removed on the way, so that the other capture shows plain TCP, or conversely
		s := &x.conn.Subflows[f.ID[0].Sub]
		s.ReceiverA, s.ReceiverB = ends[0], ends[1]
		m.matched(s.A2B, f, conn.A)
		m.matched(s.B2A, f, conn.B)
	case x.tcp != nil:
		x.tcp.ReceiverA, x.tcp.ReceiverB = ends[0], ends[1]
		m.matched(x.tcp.A2B, f, conn.A)
		m.matched(x.tcp.B2A, f, conn.B)
	}
}

// subDir merges one direction: out is what the sender's capture says of it,
// there what the receiver's does.
func (m *merger) subDir(out, there *report.SubDir, f *pair.Subflow, from conn.Side) {
	if f.At[from] == pair.AtReceiver { // the data is that of the receiver's host
		*out, *there = *there, *out
	}
	if out.CapturedSegments == 0 && there.CapturedSegments > 0 { // the capture at the sending host misses the direction
		*out, *there = *there, *out
		m.matched(out, f, from)
		return
	}
	w := &out.Unavailable
	out.InOrderWait = there.InOrderWait
	w.Follow("in_order_wait_ms", there.Unavailable)
	if there.HoLWait != nil { // the true arrival instead of when the sender learns of it
		out.HoLWait = there.HoLWait
		w.Settle("hol_wait_ms", false, "")
	}
	out.DSR = there.DSR
	w.Follow("dsr_mbps", there.Unavailable)
	m.matched(out, f, from)
	out.HoleFills = there.HoleFills // only now: those at the sender are losses before its capture
	w.Follow("hole_fills", there.Unavailable)
}

// matched fills in what matching the packets gave.
func (m *merger) matched(out *report.SubDir, f *pair.Subflow, from conn.Side) {
	d := f.Dirs[from]
	w := &out.Unavailable
	out.OWD = m.delays(w, "owd_ms", &d.OWD)
	out.AckOWD = m.delays(w, "ack_owd_ms", &d.AckOWD)
	if out.OWD == nil && out.AckOWD != nil {
		out.OWD = new(*out.AckOWD)
		w.Settle("owd_ms", false, "")
	}
	out.IPDV = m.s.mem.Stat(&d.IPDV, report.Matched)
	w.Settle("ipdv_ms", out.IPDV == nil, "no two packets sent one after the other arrived")
	out.Jitter = m.s.mem.Stat(&d.Jitter, report.Matched)
	w.Settle("jitter_ms", out.Jitter == nil, "fewer than two packets with payload are in both captures")
	w.Settle("network", false, "")
	out.Network = m.network(w, f, d, from)
	if d.Sent == 0 && d.Unsent > 0 {
		return // what one capture infers is better than nothing
	}
	if d.MatchedPackets == 0 && d.Unsent > 0 {
		out.Drops = nil
		w.Settle("drops", true, noFit)
		return
	}
	before, why := beforeCapture(out)
	all := d.SentSegments + report.Known(before)
	out.Drops = &report.Drops{Count: d.Lost + report.Known(before), BeforeCapture: before, Unresolved: d.NotCovered, Evidence: report.Matched}
	w.Settle("drops", false, "")
	w.Settle("drops.before_capture", before == nil, why)
	fill.RelateDrops(w, &m.s.mem, out.Drops, all, d.LastSent-d.FirstSent)
}

// beforeCapture returns what the sender's capture shows of losses before it:
// these packets are in neither capture. Where it is nil, why says the reason.
func beforeCapture(d *report.SubDir) (n *int64, why string) {
	if d.Drops != nil {
		why, _ = d.Unavailable.Of("drops.before_capture")
		return d.Drops.BeforeCapture, why
	}
	if d.HoleFills != nil && *d.HoleFills == 0 {
		return d.HoleFills, ""
	}
	why, _ = d.Unavailable.Of("drops")
	return nil, why
}

func (m *merger) network(w *report.Reasons, f *pair.Subflow, d *pair.Dir, from conn.Side) *report.Network {
	n := &report.Network{
		SentPackets: d.Sent, ArrivedPackets: d.Arrived, MatchedPackets: d.MatchedPackets, LostBytes: d.LostBytes,
		NotCovered: d.NotCovered, NotCaptured: d.NotCaptured, NotCapturedAtSender: d.Unsent, Duplicated: d.Duplicated,
		ReorderedPackets: d.Reordered, ReorderExtent: m.s.mem.Stat(&d.ReorderExtent, report.Matched),
		AlteredOptions: d.Altered, Split: d.Split, Merged: d.Merged,
		SequenceRewritten: f.Changes.Sequence[from], AddressTranslated: f.Changes.Addresses[from], MSSChanged: f.Changes.MSS[from],
	}
	w.Settle("network.reorder_extent_ms", n.ReorderExtent == nil, "no packet was overtaken")
	if d.MatchedPackets > 0 {
		n.ReorderedPercent = new(100 * float64(d.Reordered) / float64(d.MatchedPackets))
	} else {
		w.Set("network.reordered_percent", noMatch)
	}
	return n
}

// delays reports one-way delays without what the clocks add to them.
func (m *merger) delays(w *report.Reasons, name string, d *clock.Delays) *report.Stat {
	dist, shift := m.clock.Correct(d)
	out := m.s.mem.Stat(dist, report.Matched)
	w.Settle(name, out == nil, noMatch)
	shiftStat(out, shift)
	return out
}

// shiftStat moves every value of a stat.
func shiftStat(s *report.Stat, by float64) {
	if s == nil || by == 0 {
		return
	}
	for _, v := range []*float64{&s.Avg, &s.Min, &s.Max, &s.P50, &s.P95, &s.P99} {
		*v += by
	}
}

// conn merges the data level of one connection. Unless both captures show the
// whole of it in one connection, its figures are those of the sender's.
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
		if d := c.Dirs[side]; d.OneSided == 0 && d.Delivery.Raw.N() > 0 {
			certify(x, out, conn.Side(side))
		}
	}
}

// rename gives what the receiver's capture says the numbers and paths of the
// sender's.
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
	handovers := report.Items(d.Handovers)
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

// receiverMetrics are those of a connection's direction that come from the capture
// at the host that receives its data.
var receiverMetrics = []string{
	"dsn_offset_bytes", "out_of_order", "hol_degree_ms", "hol_blocking_ms", "hol_degree_all_paths_ms",
	"hol_queue_bytes", "hol_queue_segments", "rec_path_list",
}

// connDir merges one direction of a connection's data.
func (m *merger) connDir(out, there *report.ConnDir, c *pair.Conn, from conn.Side) {
	if c.At[from] == pair.AtReceiver {
		*out, *there = *there, *out
	}
	w := &out.Unavailable
	if out.Segments == 0 && there.Segments > 0 {
		*out, *there = *there, *out
		unmatchedConn(out, noFirst)
		return
	}
	out.DSNOffset, out.OutOfOrder = there.DSNOffset, there.OutOfOrder
	out.HoLDegree, out.HoLBlocking, out.HoLDegreeAllPaths = there.HoLDegree, there.HoLBlocking, there.HoLDegreeAllPaths
	out.HoLQueueBytes, out.HoLQueueSegments = there.HoLQueueBytes, there.HoLQueueSegments
	out.RecPathList = there.RecPathList
	for _, name := range receiverMetrics {
		w.Follow(name, there.Unavailable)
	}
	d := c.Dirs[from]
	if why := cutReason(out, there); why != "" {
		unmatchedConn(out, why)
		return
	}
	if s := m.delays(w, "end_to_end_delay_ms", &d.Delivery); s != nil {
		out.EndToEnd = &report.DeliveryStat{Stat: *s, Unmatched: d.Unmatched}
	} else if d.Unmatched > 0 {
		w.Set("end_to_end_delay_ms", noFirst)
	}
	if d.CopyFirst+d.OriginalFirst > 0 {
		out.ReinjectionWorth = &report.ReinjectionWorth{FirstBytes: d.CopyFirst, WastedBytes: d.OriginalFirst, Lead: m.s.mem.Stat(&d.Lead, report.Matched), Evidence: report.Matched}
		w.Settle("reinjection_worth", false, "")
	}
	if out.ReinjectionWorth != nil {
		w.Settle("reinjection_worth.lead_ms", out.ReinjectionWorth.Lead == nil, noLead)
	}
}

// unmatchedConn says why what takes two captures is null.
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
