package build

import (
	"cmp"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/pair"
	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
)

const (
	noMatch = "no such packet of this direction is in both captures"
	noDelay = "by the times of the captures, too many such packets arrived before they were sent, or a clock was set just then"
	noFirst = "the sender's capture shows of no data when it first left, only copies that left later"
	noLead  = "of no reinjected data is it known that it was under way when its copy left and that both arrived later: only then is the time between them measured"
	noFit   = "the packets of the two captures do not fit together: a middlebox rewrote what tells them apart"
)

// Merge makes one report of two: b has the connections of the sender's capture and takes
// the result, r has those of the receiver's. For each direction, the figures of a sender
// come from the capture at the host that sends the data, the figures of a receiver from the
// other one. Connections that only the receiver's capture has come last; the first of them
// gets the number next. Merge returns how many connections begin earlier than the
// sender's capture shows. Call it before [Builder.Lists]; both builders need OnlyIn.
func (b *Builder) Merge(r *Builder, flows []pair.Subflow, conns []pair.Conn, clocks *clock.Estimate, next int) (moved int64) {
	m := merger{
		s: b, r: r, clock: clocks, fromReceiver: fromReceiver(b.End),
		subs: map[[2]int]*report.Subflow{}, paired: map[int]*pair.Subflow{},
	}
	for i := range flows {
		m.flow(&flows[i])
	}
	same := whole(flows)
	for i := range conns {
		m.conn(&conns[i], same(&conns[i]))
	}
	m.alone(next)
	for _, k := range b.kept {
		if k.conn != nil && k.conn.OnlyIn == nil { // both captures have it
			b.sumUp(k.conn)
		}
	}
	m.faults(flows)
	return m.moved
}

// faults sets figures that compare times to null, if the clock of a capture cannot be
// trusted.
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
	s, r         *Builder
	clock        *clock.Estimate
	fromReceiver []string                   // figures that come from the receiver's capture
	subs         map[[2]int]*report.Subflow // of the merged report, by connection and subflow of the receiver's capture
	paired       map[int]*pair.Subflow      // a subflow that both captures have, by connection of the receiver's
	moved        int64                      // connections that begin earlier than the sender's capture shows
}

// flow merges one TCP connection. If only one capture shows Multipath TCP, because an option
// was removed on the way, the figures of the sender's capture stay.
func (m *merger) flow(f *pair.Subflow) {
	x, y := m.s.kept[f.ID[pair.AtSender].Conn], m.r.kept[f.ID[pair.AtReceiver].Conn]
	m.paired[f.ID[pair.AtReceiver].Conn] = f
	for e, k := range [2]kept{x, y} {
		if k.conn != nil {
			k.conn.OnlyIn, k.conn.Subflows[f.ID[e].Sub].OnlyIn = nil, nil
		}
		if k.tcp != nil {
			k.tcp.OnlyIn = nil
		}
	}
	far := [2]conn.Side{conn.A, conn.B}
	if f.Flipped {
		far = [2]conn.Side{conn.B, conn.A}
	}
	var dirs, there [2]*report.SubDir
	switch ends := &f.ID[pair.AtReceiver].Ends; {
	case x.conn != nil:
		s := &x.conn.Subflows[f.ID[pair.AtSender].Sub]
		s.ReceiverA, s.ReceiverB = new(endpoint(ends[far[0]])), new(endpoint(ends[far[1]]))
		dirs = s.Dirs()
		if y.conn != nil {
			m.subs[[2]int{f.ID[pair.AtReceiver].Conn, f.ID[pair.AtReceiver].Sub}] = s
			there = y.conn.Subflows[f.ID[pair.AtReceiver].Sub].Dirs()
		}
	case x.tcp != nil:
		x.tcp.ReceiverA, x.tcp.ReceiverB = new(endpoint(ends[far[0]])), new(endpoint(ends[far[1]]))
		dirs = x.tcp.Dirs()
		if y.tcp != nil {
			there = y.tcp.Dirs()
		}
	default: // not asked for
		return
	}
	for side := range dirs {
		m.subDir(dirs[side], there[far[side]], f, conn.Side(side))
	}
}

// fromReceiver returns the names of the figures that come from the capture at the receiver of
// the data, by their rows. The other figures come from the capture at its sender, or from both.
// end is the host that the options choose.
func fromReceiver(end report.Host) (names []string) {
	for _, m := range metrics.Table() {
		if m.Form != "" && m.FromTwo(string(end)) == catalogue.AtReceiver {
			names = append(names, m.JSON)
		}
	}
	return names
}

// take takes these figures, or the reasons why they are absent, from the receiver's capture.
func (m *merger) take(out, there report.Figures, w *report.Reasons, why report.Reasons) {
	for _, name := range m.fromReceiver {
		if field := out.Figure(name); field.IsValid() {
			field.Set(there.Figure(name))
			w.Follow(name, why)
		}
	}
}
