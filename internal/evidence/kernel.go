package evidence

import (
	"cmp"
	"net/netip"
	"slices"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// Connection fills in what the kernels say of a connection.
func (x *Records) Connection(c *report.Connection) {
	if c.Short {
		return
	}
	c.Kernel = &report.ConnectionKernels{}
	start := int64(c.Start)
	var of *joinedConn
	for i := range c.Subflows {
		s := &c.Subflows[i]
		s.Kernel = &report.SubflowKernels{}
		for side, a := range x.lookup(s, c.Start) {
			enter(x, side, a.subflow(start), &s.Kernel.A, &s.Kernel.B, &s.Kernel.Unavailable)
		}
		if tcp := x.nearest(s.A, s.B, began(c.Start, s)); of == nil && tcp != nil {
			of = tcp.of
		}
	}
	of = cmp.Or(of, &joinedConn{})
	for side, s := range of.mptcp {
		enter(x, side, s.connection(start), &c.Kernel.A, &c.Kernel.B, &c.Kernel.Unavailable)
	}
	x.causes(c, of)
	x.events(c)
}

// TCP fills in what the kernels say of a connection of plain TCP.
func (x *Records) TCP(c *report.TCP) {
	if c.Short {
		return
	}
	c.Kernel = &report.TCPKernels{}
	of := cmp.Or(x.nearest(c.A, c.B, int64(c.Start)), &joinedTCP{of: &joinedConn{}}).of
	none := &aligned{socket: &socket{of: &host{}, idLocal: -1}}
	for side, a := range x.lookup(&report.Subflow{A: c.A, B: c.B, ReceiverA: c.ReceiverA, ReceiverB: c.ReceiverB}, c.Start) {
		var k *report.TCPKernel
		if m := of.mptcp[side]; m != nil || a != nil {
			m = cmp.Or(m, &socket{})
			k = &report.TCPKernel{SubflowKernel: *cmp.Or(a, none).subflow(int64(c.Start)), Fallback: m.fallback, Token: m.tokenText(), ConnectionRows: m.rows}
		}
		enter(x, side, k, &c.Kernel.A, &c.Kernel.B, &c.Kernel.Unavailable)
	}
	x.causesTCP(c)
}

// enter enters what the rows of a side say; if there is nothing, it notes why.
func enter[K any](x *Records, side int, k *K, a, b **K, unavailable *report.Reasons) {
	if k == nil {
		unavailable.Set(sideName(side), x.why(side))
		return
	}
	*report.Either(report.Directions[side], a, b) = k
}

func sideName(side int) string { return "ab"[side : side+1] }

// why returns why there are no values of a host.
func (x *Records) why(side int) string {
	if slices.ContainsFunc(x.hosts, func(h *host) bool { return string(h.side()) == sideName(side) }) {
		return "no row of the records of host " + sideName(side) + " is of it"
	}
	return "no record of host " + sideName(side)
}

// began returns when a subflow began, of a connection with that start.
func began(start report.Time, s *report.Subflow) int64 { return int64(start) + int64(s.StartS*1e9) }

// lookup returns the sockets of a subflow, by side, of a connection with that start. Behind a translator the host of the
// second capture has other ends.
func (x *Records) lookup(s *report.Subflow, start report.Time) (out [2]*aligned) {
	for i, ends := range [2][2]*report.Endpoint{{&s.A, &s.B}, {s.ReceiverA, s.ReceiverB}} {
		if ends[0] == nil || ends[1] == nil {
			continue
		}
		j := cmp.Or(x.nearest(*ends[0], *ends[1], began(start, s)), &joinedTCP{})
		for side, found := range j.sides {
			if found != nil && (out[side] == nil || i > 0 && found.here) {
				out[side] = found
			}
		}
	}
	return out
}

// nearest returns the subflow with two ends that began next to a time; nil if no record has one.
func (x *Records) nearest(a, b report.Endpoint, start int64) (best *joinedTCP) {
	away := func(j *joinedTCP) int64 { return max(j.start-start, start-j.start) }
	k, _ := keyOf(a, b)
	for _, j := range x.joined[k] {
		if best == nil || away(j) < away(best) {
			best = j
		}
	}
	return best
}

func keyOf(a, b report.Endpoint) (pair, bool) {
	x, err := netip.ParseAddr(a.Addr)
	y, err2 := netip.ParseAddr(b.Addr)
	return pair{netip.AddrPortFrom(x, uint16(a.Port)), netip.AddrPortFrom(y, uint16(b.Port))}, err == nil && err2 == nil
}

// Why values are null.
const (
	whyNotPrinted = "not printed by this ss"
	whyNoRow      = "no row"
	whyNoTime     = "the rows have no stamps that the capture's time is known of"
	whyFallback   = "the socket fell back, and has no data sequence numbers"
	whyElsewhere  = "the capture was taken at another host"
)

// tokenText returns the token in the form of reports; nil if it is not known.
func (s *socket) tokenText() *string {
	if !s.hasToken {
		return nil
	}
	return new(hosts.TokenText(s.token))
}

// connection returns what the rows of a socket of Multipath TCP say, nil of no socket; start is the start of the
// connection.
func (s *socket) connection(start int64) *report.ConnectionKernel {
	if s == nil {
		return nil
	}
	k := &report.ConnectionKernel{Token: s.tokenText(), Rows: s.rows, Fallback: s.fallback}
	k.FirstS, k.LastS = (&aligned{socket: s}).bounds(start, &k.Unavailable)
	s.fill(k, &k.Unavailable)
	return k
}

// bounds returns the times of the first and the last row in seconds since start; of those that are not known, it
// notes why. A row that is kept has a time of its own.
func (a *aligned) bounds(start int64, unavailable *report.Reasons) (first, last *float64) {
	s := a.socket
	moment := func(at sample, i int, name string) *float64 {
		t, ok := s.of.time(at.stamp)
		if i >= 0 && i < len(a.spans) && s.kept[i].at.Line == at.at.Line {
			t, ok = a.time(i)
		}
		if !ok {
			unavailable.Set(name, s.without(whyNoTime))
			return nil
		}
		return new(float64(t-start) / 1e9)
	}
	return moment(s.first, 0, "first_s"), moment(s.last, len(s.kept)-1, "last_s")
}

// without returns why the socket has no value: that it has no row, else the given reason.
func (s *socket) without(why string) string {
	if s.rows == 0 {
		return whyNoRow
	}
	return why
}

// subflow returns what the rows of a TCP socket say, nil of no socket; start is the start of the connection.
func (a *aligned) subflow(start int64) *report.SubflowKernel {
	if a == nil {
		return nil
	}
	s := a.socket
	k := &report.SubflowKernel{Rows: s.rows, CongestionControl: s.controls, StateLast: s.state}
	k.FirstS, k.LastS = a.bounds(start, &k.Unavailable)
	s.fill(k, &k.Unavailable)
	if s.idLocal >= 0 {
		k.AddressIDLocal, k.AddressIDRemote = new(s.idLocal), new(s.idRemote)
	}
	if a.here {
		k.Agreement = a.agreement()
	} else {
		k.Unavailable.Set("agreement", s.without(whyElsewhere))
	}
	return k
}
