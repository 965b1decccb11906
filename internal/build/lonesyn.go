package build

import (
	"slices"
	"unsafe"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// LoneSYN stores a connection with nothing but one captured SYN in [Builder.Into]. Its
// report is made when it is read.
func (b *Builder) LoneSYN(l *conn.LoneSYN) error {
	if !b.loneSYN.known {
		b.Into.DeferBy(
			report.Maker[report.Connection]{
				Whole: func(record []byte, c *report.Connection) { b.loneConnection(b.loneSYN.read(record), c) },
				Again: func(record []byte, c *report.Connection) { b.loneConnectionAgain(b.loneSYN.read(record), c) },
			},
			report.Maker[report.TCP]{
				Whole: func(record []byte, c *report.TCP) { b.loneTCP(b.loneSYN.read(record), c) },
				Again: func(record []byte, c *report.TCP) { b.loneTCPAgain(b.loneSYN.read(record), c) },
			},
		)
		b.loneSYN.known = true
	}
	if l.ID < 0 && b.Detail == report.NoTCP {
		b.LeftOut++
		return nil
	}
	if l.ID >= 0 {
		return b.Into.DeferConnection(stored(l), l.ID)
	}
	return b.Into.DeferTCP(stored(l), l.Order)
}

func (b *Builder) loneConnection(l *conn.LoneSYN, out *report.Connection) {
	c, _ := b.report(b.loneSYN.figures.Of(l), b.Judge)
	*out = *c
}

func (b *Builder) loneTCP(l *conn.LoneSYN, out *report.TCP) {
	_, t := b.report(b.loneSYN.figures.Of(l), b.Judge)
	*out = *t
}

// loneSYN makes reports on lone SYNs. Reports of one kind differ only in ends, times and
// numbers, so one of each kind is kept as a pattern.
type loneSYN struct {
	figures  metrics.LoneSYN
	known    bool                  // [Builder.Into] has been told how to make these reports
	syn      conn.LoneSYN          // the SYN that is being reported on
	patterns map[loneKind]*pattern // bounded by the combinations of flags: about 2,000
	ends     [2]struct {           // the latest by side, as a host that is flooded is always the same
		addr [16]byte
		text string
	}
}

// read reads a stored lone SYN. The result is valid until the next call.
func (x *loneSYN) read(record []byte) *conn.LoneSYN {
	copy(stored(&x.syn), record)
	return &x.syn
}

// stored returns the memory of a lone SYN: that is its stored form, because it has no pointers.
func stored(l *conn.LoneSYN) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(l)), unsafe.Sizeof(*l))
}

// end returns the address and port of a side.
func (x *loneSYN) end(l *conn.LoneSYN, side conn.Side) report.Endpoint {
	e, last := &l.Ends[side], &x.ends[side]
	if last.text == "" || last.addr != e.Addr {
		last.addr, last.text = e.Addr, addr(*e).String()
	}
	return report.Endpoint{Addr: last.text, Port: int(e.Port)}
}

// loneKind holds the fields that must be equal in two lone SYNs that share a pattern.
type loneKind struct {
	offer          conn.Offer
	vantage        conn.Vantage
	cooked         packet.Present
	unknown        bool // a join to a connection that is not known
	joined, backup bool
	early          bool // the capture ends before an answer must have come
}

// pattern is the report on a lone SYN, with memory for the report on the next one of its
// kind.
type pattern struct {
	conn report.Connection
	tcp  report.TCP

	own      string // path of the lone SYN at hand
	packet   int64
	waited   float64 // ms from the SYN to the end of the capture
	address  int
	token    string
	subflow  [1]report.Subflow
	verdicts report.List[report.Verdict]
	proofs   []report.Proof
}

// pattern returns the pattern of the kind of a lone SYN.
func (b *Builder) pattern(l *conn.LoneSYN) *pattern {
	kind := loneKind{l.Offer, l.Vantage, l.Cooked, l.ID >= 0, l.Joined, l.Backup, l.Until-l.Time < report.AnswerTime}
	p := b.loneSYN.patterns[kind]
	if p == nil {
		p = new(pattern)
		if l.ID >= 0 {
			b.loneConnection(l, &p.conn)
		} else {
			b.loneTCP(l, &p.tcp)
		}
		if b.loneSYN.patterns == nil {
			b.loneSYN.patterns = map[loneKind]*pattern{}
		}
		b.loneSYN.patterns[kind] = p
	}
	p.packet, p.waited, p.address = int64(l.Packet), float64(l.Until-l.Time)/1e6, int(l.Address)
	return p
}

func (b *Builder) loneTCPAgain(l *conn.LoneSYN, out *report.TCP) {
	p := b.pattern(l)
	*out = p.tcp
	out.ID, out.Start, out.A, out.B = l.Order, report.Time(packet.Unix(l.Time)), b.loneSYN.end(l, conn.A), b.loneSYN.end(l, conn.B)
	out.Path = b.pathOf(l.Ends, &out.A, &out.B)
	out.Verdicts = p.judged(p.tcp.Verdicts, out.Path)
}

func (b *Builder) loneConnectionAgain(l *conn.LoneSYN, out *report.Connection) {
	p := b.pattern(l)
	*out = p.conn
	p.token, p.subflow[0] = hex32(l.Token), p.conn.Subflows[0]
	out.ID, out.Start, out.TokenB, out.Subflows = l.ID, report.Time(packet.Unix(l.Time)), &p.token, p.subflow[:]
	s := &p.subflow[0]
	s.A, s.B = b.loneSYN.end(l, conn.A), b.loneSYN.end(l, conn.B)
	s.Path = b.pathOf(l.Ends, &s.A, &s.B)
	if s.AddressIDA != nil {
		s.AddressIDA = &p.address
	}
	if out.Verdicts != nil {
		p.verdicts = p.judged(*p.conn.Verdicts, s.Path)
		out.Verdicts = &p.verdicts
	}
}

// judged returns the verdicts of the pattern for a lone SYN with another path.
func (p *pattern) judged(all report.List[report.Verdict], path string) report.List[report.Verdict] {
	p.verdicts, p.proofs, p.own = append(p.verdicts[:0], all...), p.proofs[:0], path
	for i := range p.verdicts {
		v := &p.verdicts[i]
		if v.Path != nil {
			v.Path = &p.own
		}
		from := len(p.proofs)
		p.proofs = append(p.proofs, v.Evidence...)
		v.Evidence = p.proofs[from:len(p.proofs):len(p.proofs)]
		for k := range v.Evidence {
			if e := &v.Evidence[k]; e.Packet != nil {
				e.Packet = &p.packet
			} else if *e.Unit == "ms" {
				e.Value = &p.waited
			}
		}
	}
	return slices.Clip(p.verdicts)
}
