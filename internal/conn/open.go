package conn

import (
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

const (
	// maxSubflows bounds the subflows of one connection that have not ended. Further joins are
	// taken for plain TCP.
	maxSubflows = 1024
	// maxEver bounds all subflows of one connection: each that ended has its figures in the report.
	// It is half of maxOpen, so that one connection does not take the room of all others.
	maxEver = maxOpen / 2
)

// isFull reports whether c has no room for another subflow.
func (c *Conn) isFull() bool { return c.live >= maxSubflows || len(c.Subflows) >= maxEver }

// openFlow takes the SYN of a new TCP connection: a new connection, or a subflow of the
// one that its MP_JOIN names. If no connection with that token is known, the packets
// wait until their numbers prove where they belong.
func (t *Table) openFlow(k key, s *packet.Segment) *SubflowDir {
	join, joins := joinOf(s)
	waits := !joins && t.mayWaitAsSYN(s)
	if !waits {
		t.makeRoom()
	}
	if joins && join.Form == mptcp.JoinSYN {
		owner, ok := t.ownerOf(join.Token)
		if !ok {
			return t.addPending(k, s, true, join.Token)
		}
		if !owner.conn.isFull() {
			return t.attach(owner.conn, owner.conn.newSubflow(s), k, owner.side.Other())
		}
		owner.conn.JoinsBeyond = true
		t.warn("subflow_limit", "a connection has more joins than are followed: the further ones were taken for plain TCP", s.Num)
		waits = t.mayWaitAsSYN(s)
	}
	if waits && t.opt.LoneSYN != nil {
		t.keepSYN(s, -1, false, 0)
		return nil
	}
	c := t.newConn(s.Time)
	if o := offerOfSYN(s); o.Seen {
		c.requestMPTCP(o)
	}
	d := t.attach(c, c.newSubflow(s), k, A)
	if waits {
		t.setAside(c, asLoneSYN)
	}
	return d
}

// requestMPTCP notes the MP_CAPABLE of the SYN that begins c.
func (c *Conn) requestMPTCP(o Offer) {
	c.Kind, c.AskedMPTCP, c.Version = Requested, true, min(o.Version, 1)
}

// tokenOwner is a connection and the side that has a token, or a waiting SYN.
type tokenOwner struct {
	conn *Conn
	lone *waitingSYN // nil where it is a connection
	side Side
}

// learnToken notes the token of one end of c.
func (t *Table) learnToken(c *Conn, side Side, token uint32) {
	t.forgetToken(c, side) // an MP_JOIN may have named another token before
	c.Hosts[side].Token, c.Hosts[side].HasToken = token, true
	t.tokens[token] = tokenOwner{conn: c, side: side}
}

// forgetToken removes the token of one end of c, unless another connection has it by
// now.
func (t *Table) forgetToken(c *Conn, side Side) {
	if h := &c.Hosts[side]; h.HasToken && t.tokens[h.Token].conn == c {
		delete(t.tokens, h.Token)
	}
}
