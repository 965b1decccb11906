package conn

import "mpanalyze/internal/packet"

// Journal gets what a table decides about a connection because of packets of other
// connections. Another table that has the packets of some connections only can then
// decide the same: see [Plan]. A table without a journal reports nothing.
type Journal interface {
	// Short is called for each packet of a connection that goes to [Options.LoneSYN] or
	// [Options.OneSided]; modules get all other packets. order is [Conn.Order].
	Short(num uint64, order int)
	// Together says that a connection depends on the packets of another one.
	Together(order, other int)
	// TogetherWith says that a connection depends on the connection of packet num. The
	// journal may learn later which connection that is.
	TogetherWith(order int, num uint64)
	// Step is called for each decision. The argument is valid during the call.
	Step(*Step)
	// Ended is called for each connection at its end.
	Ended(Ending)
	// Uncertain says that a search for the connection of packet num was cut short, so
	// that its result depends on the order of the search.
	Uncertain(num uint64)
}

// StepKind says what was decided.
type StepKind uint8

// The kinds.
const (
	StepFinish StepKind = iota // a connection was closed, because its time was over or a bound was reached
	StepGiveUp                 // a flow of unknown connection waited long enough
	StepForget                 // the 4-tuple of an ended connection was forgotten because of a bound
	NumSteps
)

// Step is a decision of a table.
type Step struct {
	Kind  StepKind
	Late  bool               // made after the packet was processed; otherwise before it could open a connection
	At    Position           // of the packet at which it was made
	Order int                // of the connection
	First uint64             // with StepGiveUp: number of the flow's first packet, which identifies the connection
	Flow  [2]packet.Endpoint // the ordered 4-tuple; not with StepFinish
}

// Position is the place of a packet in a capture: packets are ordered by time, then by
// number.
type Position struct {
	Time int64 // ns
	Num  uint64
}

// Before reports whether p comes before o.
func (p Position) Before(o Position) bool {
	return p.Time < o.Time || p.Time == o.Time && p.Num < o.Num
}

// Ending describes a connection at its end.
type Ending struct {
	Order, ID int // see [Conn]; ID is -1 for plain TCP
	// Digest is a hash of times, ends and counts of packets. Tables that got the same
	// packets of a connection give the same digest.
	Digest uint64
}

// digest hashes values.
type digest uint64

func (d *digest) add(values ...uint64) {
	for _, v := range values {
		h := (uint64(*d) ^ v) * 0x9e3779b97f4a7c15
		*d = digest(h ^ h>>29)
	}
}

func (d *digest) endpoint(e *packet.Endpoint) {
	for i := 0; i < len(e.Addr); i += 8 {
		var v uint64
		for _, b := range e.Addr[i : i+8] {
			v = v<<8 | uint64(b)
		}
		d.add(v)
	}
	d.add(uint64(e.Port))
}

// note tells the journal of a decision at the current packet.
func (t *Table) note(s Step) {
	if t.opt.Journal == nil || t.atEnd {
		return
	}
	step := s // allocated; s itself is not, without a journal
	step.At, step.Late = t.at, t.late
	t.opt.Journal.Step(&step)
}

// noteTokenTaken tells the journal that a connection takes a token that another one has.
func (t *Table) noteTokenTaken(token uint32, order int) {
	if t.opt.Journal == nil {
		return
	}
	owner, ok := t.tokens[token]
	switch {
	case !ok:
	case owner.lone != 0:
		t.opt.Journal.Together(t.loneSYNs.all[owner.lone].order, order)
	default:
		t.opt.Journal.Together(owner.conn.Order, order)
	}
}

// noteTogether tells the journal that packet num depends on a connection.
func (t *Table) noteTogether(order int, num uint64) {
	if t.opt.Journal != nil {
		t.opt.Journal.TogetherWith(order, num)
	}
}

// noteEnd tells the journal and the plan of the end of a connection.
func (t *Table) noteEnd(c *Conn) {
	if t.opt.Journal == nil && t.plan == nil {
		return
	}
	var d digest
	d.add(uint64(c.Kind), uint64(c.Start), uint64(c.Last()), uint64(c.State()), uint64(len(c.Subflows)))
	for _, s := range c.Subflows {
		for side := range s.Ends {
			d.endpoint(&s.Ends[side])
			h := &s.Senders[side]
			d.add(uint64(h.Packets), uint64(h.Segments))
		}
		d.add(uint64(s.State), uint64(len(s.CloseCause)))
	}
	t.tellEnd(c.Order, c.ID, d)
}

func (t *Table) tellEnd(order, id int, d digest) {
	d.add(uint64(order), uint64(id))
	e := Ending{order, id, uint64(d)}
	if t.opt.Journal != nil {
		t.opt.Journal.Ended(e)
	}
	if t.plan != nil {
		t.plan.ended(e)
	}
}

// noteLoneEnd tells them of the end of a connection that has only a SYN.
func (t *Table) noteLoneEnd(l *LoneSYN) {
	if t.opt.Journal == nil && t.plan == nil {
		return
	}
	var d digest
	d.add(l.Packet, uint64(l.Time))
	if t.opt.Journal != nil {
		t.opt.Journal.Short(l.Packet, l.Order)
	}
	t.tellEnd(l.Order, l.ID, d)
}

// noteOneSidedEnd tells them of the end of a one-sided flow that never became a
// connection.
func (t *Table) noteOneSidedEnd(pf *pendingFlow) {
	if t.opt.Journal == nil && t.plan == nil {
		return
	}
	var d digest
	for i := range pf.held {
		d.add(pf.held[i].Num, uint64(pf.held[i].Time))
		if t.opt.Journal != nil {
			t.opt.Journal.Short(pf.held[i].Num, pf.known.Order)
		}
	}
	t.tellEnd(pf.known.Order, pf.known.ID, d)
}

// SegmentsInOrder processes packets as [Table.Segment] does. Packets must be in order.
// With a journal or a plan, all packets must come through this method.
func (t *Table) SegmentsInOrder(segs []packet.Segment) {
	for i := range segs {
		s := &segs[i]
		at := Position{s.Time, s.Num}
		t.catchUp(at)
		t.at, t.late = at, false
		t.Segment(s)
	}
}
