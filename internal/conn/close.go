package conn

import (
	"fmt"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

const (
	// linger is how long an ended connection stays in the table for
	// stragglers, in nanoseconds of capture time.
	linger = 5e9
	// sweepEvery is the time between two looks for ended connections.
	sweepEvery = 1e9
	// maxHalfOpen bounds the connections that are only a SYN so far; the
	// oldest are then reported as they stand.
	maxHalfOpen = 1 << 14
	// maxRetired bounds the 4-tuples of ended connections that are
	// remembered, so that stragglers do not look like new connections.
	maxRetired = 1 << 14
)

// closing notes who ends a subflow first, and how.
func (t *Table) closing(p *Packet) {
	sub, s := p.Sub, p.Seg
	kind, how := EventFIN, "FIN"
	if s.Flags&packet.RST != 0 {
		kind, how = EventReset, "RST"
		if sub.resetReason != "" {
			how += ": " + sub.resetReason
		}
	} else if !p.TCP.Sent.NewFIN {
		return
	}
	if sub.State == subflow.Refused && !sub.HasCloser {
		kind, how = EventJoinRefused, "refused by "+how
	}
	if s.Flags&packet.RST != 0 {
		if sub.resets++; sub.resets > 1 {
			return // RSTs come in bursts, one per packet in flight
		}
	}
	if !sub.HasCloser {
		sub.ClosedBy, sub.HasCloser, sub.CloseCause = p.From, true, how
	}
	if p.Conn.Kind == Multipath {
		p.Conn.event(Event{Time: s.Time, Sub: sub, From: p.From, Packet: s.Num, Kind: kind, Detail: fmt.Sprintf("%v: %s", p.From, how)})
	}
}

// end counts a subflow out of the live ones.
func (t *Table) end(sub *Subflow, cause string) {
	if sub.ended {
		return
	}
	sub.ended = true
	sub.Conn.live--
	if cause != "" && !sub.HasCloser {
		sub.CloseCause = cause
	}
}

// sweep retires the connections that have been over for a while.
func (t *Table) sweep() {
	t.swept = t.now
	keep := t.open[:0]
	for _, c := range t.open {
		switch {
		case c.done:
		case c.live == 0 && t.now-c.Last > linger && !t.mayGrow(c):
			t.finish(c)
		default:
			keep = append(keep, c)
		}
	}
	clear(t.open[len(keep):])
	t.open = keep
	t.sweepOrphans()
}

// mayGrow reports whether another subflow may still join a connection none of
// whose subflows is alive (RFC 8684, Section 3.2: it lives on until closed at
// the data level).
func (t *Table) mayGrow(c *Conn) bool {
	return c.Kind == Multipath && c.State() == WasReset && t.now-c.Last < 60e9
}

// finish closes a connection for good: its observers are told and its state is
// freed.
func (t *Table) finish(c *Conn) {
	if c.done {
		return
	}
	c.done = true
	for side := range c.Spaces {
		t.concede(c, Side(side))
		c.settle(Side(side), true)
	}
	for _, o := range c.watchers {
		o.Close(c.Last)
	}
	for _, s := range c.Subflows {
		t.drop(s)
	}
	for side := range c.Hosts {
		if o, ok := t.tokens[c.Hosts[side].Token]; ok && o.conn == c {
			delete(t.tokens, c.Hosts[side].Token)
		}
	}
	c.watchers = nil
}

// concede settles payload that still waits for a mapping at the end of a
// connection.
func (t *Table) concede(c *Conn, side Side) {
	for _, s := range c.Subflows {
		lane := s.Lanes[side]
		n, first := lane.Pending()
		if n == 0 {
			continue
		}
		c.event(Event{Time: first.Time, Sub: s, From: side, Packet: first.Packet, Kind: EventUnmapped,
			Detail: fmt.Sprintf("payload without a mapping: %d runs to the end of the capture, the first in this packet", n)})
		lane.Abandon()
	}
}

// drop forgets the 4-tuple of a subflow.
func (t *Table) drop(s *Subflow) {
	for from := range s.Ends {
		k := key{s.Ends[from], s.Ends[1-from]}
		if e, ok := t.flows[k]; ok && e.sub == s {
			delete(t.flows, k)
			t.forget(k)
			t.retired.add(k, t.now)
		}
	}
}

// Finish closes every connection that is still open, at the end of the
// capture.
func (t *Table) Finish() {
	t.settleOrphans()
	for _, c := range t.open {
		t.finish(c)
	}
	t.open = nil
}

// retired remembers the 4-tuples of ended connections.
type retired struct {
	when map[key]int64
	list []key // ring in the order of retirement
	next int
}

func (r *retired) add(k key, now int64) {
	if r.when == nil {
		r.when = make(map[key]int64)
	}
	if len(r.list) < maxRetired {
		r.list = append(r.list, k)
	} else {
		delete(r.when, r.list[r.next])
		r.list[r.next] = k
		r.next = (r.next + 1) % maxRetired
	}
	r.when[k] = now
}

// has reports whether k ended less than two segment lifetimes ago
// (RFC 9293, Section 3.4.1).
func (r *retired) has(k key, now int64) bool {
	at, ok := r.when[k]
	return ok && now-at < 240e9
}

// halfOpen is a queue of connections that were only a SYN when they entered.
type halfOpen struct {
	list []*Conn
	next int
}

func (h *halfOpen) add(t *Table, c *Conn) {
	if len(h.list) < maxHalfOpen {
		h.list = append(h.list, c)
		return
	}
	if old := h.list[h.next]; !old.done && len(old.Subflows) == 1 && old.Subflows[0].SYNACK == 0 {
		t.Warnings.add("half_open", "more half-open connections than are followed at once: the oldest were closed early", 0)
		t.finish(old)
	}
	h.list[h.next] = c
	h.next = (h.next + 1) % maxHalfOpen
}

// Warnings count anomalies by kind.
type Warnings struct{ list []Warning }

// Warning is one kind of anomaly.
type Warning struct {
	Code, Message string
	Packet        uint64 // the first packet that shows it; 0 where none does
	Count         int64
}

func (w *Warnings) add(code, message string, packet uint64) {
	for i := range w.list {
		if w.list[i].Code == code {
			w.list[i].Count++
			return
		}
	}
	w.list = append(w.list, Warning{code, message, packet, 1})
}

// List returns the warnings in the order of their first packets.
func (w *Warnings) List() []Warning { return w.list }
