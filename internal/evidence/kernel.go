package evidence

import (
	"cmp"
	"fmt"
	"net/netip"

	"mpanalyze/internal/report"
)

// Connection fills in what the kernels say of a connection.
func (x *Records) Connection(c *report.Connection) {
	if c.Short {
		return
	}
	c.Kernel = &report.ConnectionKernels{}
	var of *joinedConn
	for i := range c.Subflows {
		s := &c.Subflows[i]
		s.Kernel = &report.SubflowKernels{}
		j := x.ofSubflow(int64(c.Start), s)
		for side := range 2 {
			if a := j[side]; a != nil {
				*report.Either(report.Directions[side], &s.Kernel.A, &s.Kernel.B) = a.subflow(int64(c.Start))
				continue
			}
			s.Kernel.Unavailable.Set(sideName(side), x.why(side))
		}
		if of != nil {
			continue
		}
		if tcp := x.nearest(s.A, s.B, began(int64(c.Start), s)); tcp != nil {
			of = tcp.of
		}
	}
	for side := range 2 {
		if of != nil && of.mptcp[side] != nil {
			*report.Either(report.Directions[side], &c.Kernel.A, &c.Kernel.B) = of.mptcp[side].connection(int64(c.Start))
			continue
		}
		c.Kernel.Unavailable.Set(sideName(side), x.why(side))
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
	j := x.lookup(c.A, c.B, c.ReceiverA, c.ReceiverB, int64(c.Start))
	of := x.nearest(c.A, c.B, int64(c.Start))
	for side := range 2 {
		var mptcp *socket
		if of != nil {
			mptcp = of.of.mptcp[side]
		}
		if j[side] == nil && mptcp == nil {
			c.Kernel.Unavailable.Set(sideName(side), x.why(side))
			continue
		}
		k := &report.TCPKernel{SubflowKernel: *cmp.Or(j[side], noRows()).subflow(int64(c.Start))}
		if mptcp != nil {
			k.Fallback, k.Token, k.ConnectionRows = mptcp.fallback, mptcp.tokenText(), mptcp.rows
		}
		*report.Either(report.Directions[side], &c.Kernel.A, &c.Kernel.B) = k
	}
	x.causesTCP(c)
}

func sideName(side int) string { return "ab"[side : side+1] }

// why returns why there are no values of a host.
func (x *Records) why(side int) string {
	for _, h := range x.hosts {
		if string(h.side()) == sideName(side) {
			return "no row of the records of host " + sideName(side) + " is of it"
		}
	}
	return "no record of host " + sideName(side)
}

// began returns when a subflow began, of a connection with that start.
func began(start int64, s *report.Subflow) int64 { return start + int64(s.StartS*1e9) }

// ofSubflow returns the sockets of a subflow, by side.
func (x *Records) ofSubflow(start int64, s *report.Subflow) [2]*aligned {
	return x.lookup(s.A, s.B, s.ReceiverA, s.ReceiverB, began(start, s))
}

// lookup returns the sockets of a subflow, by side. Behind a translator the host of the second
// capture has other ends.
func (x *Records) lookup(a, b report.Endpoint, a2, b2 *report.Endpoint, start int64) (out [2]*aligned) {
	for i, ends := range [2][2]*report.Endpoint{{&a, &b}, {a2, b2}} {
		if ends[0] == nil || ends[1] == nil {
			continue
		}
		j := x.nearest(*ends[0], *ends[1], start)
		if j == nil {
			continue
		}
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
	k, ok := keyOf(a, b)
	if !ok {
		return nil
	}
	for _, j := range x.joined[k] {
		if best == nil || distance(j.start, start) < distance(best.start, start) {
			best = j
		}
	}
	return best
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

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
	return new(fmt.Sprintf("0x%08x", s.token))
}

// connection returns what the rows of a socket of Multipath TCP say; start is the start of the
// connection.
func (s *socket) connection(start int64) *report.ConnectionKernel {
	k := &report.ConnectionKernel{Token: s.tokenText(), Rows: s.rows, Fallback: s.fallback}
	u := &k.Unavailable
	k.FirstS = s.moment(s.first, start, "first_s", u)
	k.LastS = s.moment(s.last, start, "last_s", u)
	s.fill(k, u)
	return k
}

// moment returns the time of a row in seconds since start; if it is not known, it notes why.
func (s *socket) moment(at sample, start int64, name string, unavailable *report.Reasons) *float64 {
	t, ok := s.of.time(at.stamp)
	if !ok {
		unavailable.Set(name, s.without(whyNoTime))
		return nil
	}
	return new(float64(t-start) / 1e9)
}

// noRows returns a socket of which no record has a row.
func noRows() *aligned { return &aligned{socket: &socket{of: &host{}, idLocal: -1}} }

// without returns why the socket has no value: that it has no row, else the given reason.
func (s *socket) without(why string) string {
	if s.rows == 0 {
		return whyNoRow
	}
	return why
}

// subflow returns what the rows of a TCP socket say; start is the start of the connection.
func (a *aligned) subflow(start int64) *report.SubflowKernel {
	s := a.socket
	k := &report.SubflowKernel{Rows: s.rows, CongestionControl: s.controls, StateLast: s.state}
	u := &k.Unavailable
	k.FirstS = a.momentOf(s.first, 0, start, "first_s", u)
	k.LastS = a.momentOf(s.last, len(s.kept)-1, start, "last_s", u)
	s.fill(k, u)
	if s.idLocal >= 0 {
		k.AddressIDLocal, k.AddressIDRemote = new(s.idLocal), new(s.idRemote)
	}
	if a.here {
		k.Agreement = a.agreement()
	} else {
		u.Set("agreement", s.without(whyElsewhere))
	}
	return k
}

// momentOf is moment of a row that may be the i-th kept one, which has a time of its own.
func (a *aligned) momentOf(at sample, i int, start int64, name string, unavailable *report.Reasons) *float64 {
	if i >= 0 && i < len(a.spans) && a.socket.kept[i].at.Line == at.at.Line {
		if t, ok := a.time(i); ok {
			return new(float64(t-start) / 1e9)
		}
	}
	return a.socket.moment(at, start, name, unavailable)
}
