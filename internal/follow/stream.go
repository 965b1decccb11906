package follow

import (
	"fmt"
	"io"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// maxHeld bounds the payload that waits for lower data, in bytes. In practice no receive window
// is larger. If more payload waits, the stream ends with an error.
const maxHeld = 64 << 20

// Stream reassembles one direction of a connection. It is a [conn.Observer].
type Stream struct {
	conn.Nop
	c    *conn.Conn
	from conn.Side
	w    io.Writer

	next  seq.DSN // end of what was written
	held  []piece // ascending by start
	size  int64   // bytes in held
	bytes int64
	syn   int64 // bytes of data in the SYN: they come before the first DSN
	begun bool

	// Err is what stopped the stream; nil while it runs.
	Err error
}

// piece is payload that waits for lower data or for the result of a checksum.
type piece struct {
	dss.Piece
	verdict dss.CheckResult // CheckPending while the checksum is not known
}

// A MissingError says that bytes of the stream are not in the capture.
type MissingError struct {
	DSN  uint64 // of the first missing byte, as on the wire
	Byte int64  // its position in the stream, from 0
	Why  string // as in "cut off by the snapshot length"
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("payload is missing from DSN %d, byte %d of the stream, on: %s", e.DSN, e.Byte, e.Why)
}

// New returns a Stream that writes what side from sends on c to w.
func New(c *conn.Conn, from conn.Side, w io.Writer) *Stream {
	return &Stream{c: c, from: from, w: w, next: 1}
}

// Bytes returns how many bytes were written.
func (s *Stream) Bytes() int64 { return s.bytes }

// Packet processes payload, results of checksums, and DATA_ACKs, which tell what data the
// receiver accepted.
func (s *Stream) Packet(p *conn.Packet) {
	if !s.begun {
		s.begun = true
		s.begin()
	}
	if s.Err != nil {
		return
	}
	if p.From != s.from {
		for i := range p.LateMapped {
			s.hold(&p.LateMapped[i])
		}
		if p.DataAckAdvanced || len(p.LateMapped) > 0 {
			s.advance(false)
		}
		return
	}
	for i := range p.Pieces {
		s.hold(&p.Pieces[i])
	}
	for i := range p.Checks {
		s.checked(&p.Checks[i])
	}
	if len(p.Pieces)+len(p.Checks) > 0 {
		s.advance(false)
	}
}

// begin writes the data in the SYN, which has no DSN (RFC 8684, Appendix B.2).
func (s *Stream) begin() {
	if len(s.c.Subflows) == 0 || s.c.Subflows[0].Initiator != s.from {
		return
	}
	f := s.c.Subflows[0].FastOpen()
	if f == nil || f.AppBytes() == 0 {
		return
	}
	payload := f.SYNPayload()
	n, err := s.w.Write(payload)
	s.bytes, s.Err = int64(n), err
	if s.syn = f.AppBytes(); err == nil && int64(len(payload)) < s.syn {
		s.next -= seq.DSN(s.syn) - seq.DSN(n)
		s.missing("data of the SYN, below the first DSN, cut off by the snapshot length")
	}
}

// hold keeps a copy of a piece, unless all its data was written already.
func (s *Stream) hold(p *dss.Piece) {
	if p.Data.End <= s.next {
		return
	}
	q := piece{Piece: *p, verdict: dss.CheckValid}
	q.Payload = slices.Clone(p.Payload)
	switch {
	case p.Bad:
		q.verdict = dss.CheckInvalid
	case p.CheckID != 0:
		q.verdict = dss.CheckPending
	}
	i, _ := slices.BinarySearchFunc(s.held, p.Data.Start, func(h piece, at seq.DSN) int {
		if h.Data.Start <= at {
			return -1
		}
		return 1
	})
	s.held = slices.Insert(s.held, i, q)
	if s.size += int64(len(q.Payload)); s.size > maxHeld {
		s.relieve()
	}
}

// relieve frees memory if too much payload waits: it writes the next data without waiting for a
// better copy.
func (s *Stream) relieve() {
	if s.advance(true); s.Err == nil && s.size > maxHeld {
		s.missing("more out-of-order data than is kept, 64 MiB")
	}
}

// checked stores the result of a mapping's checksum.
func (s *Stream) checked(k *dss.Check) {
	for i := range s.held {
		if s.held[i].CheckID == k.ID && s.held[i].verdict == dss.CheckPending {
			s.held[i].verdict = k.Result
		}
	}
}

// advance writes the data that is in order now. end says that no better copies will come.
func (s *Stream) advance(end bool) {
	for s.Err == nil {
		best := s.best(end)
		if best == nil {
			s.prune()
			return
		}
		off := int64(s.next - best.Data.Start)
		if off >= int64(len(best.Payload)) {
			s.missing("cut off by the snapshot length")
			return
		}
		n, err := s.w.Write(best.Payload[off:])
		s.bytes += int64(n)
		s.next += seq.DSN(n)
		if err != nil {
			s.Err = err
		}
	}
}

// best returns the copy of the next byte to write, or nil if it is better to wait. It takes a
// copy without a checksum, or with a valid one, at once. It takes a copy with a wrong checksum
// only if there is no other copy and either the receiver has accepted the data or the capture
// ends. A fallback does not mean that the receiver has accepted the data: the sender may send
// it again under an infinite mapping (RFC 8684, Section 3.7). After a fallback, a pending
// checksum will never be known.
func (s *Stream) best(end bool) (best *piece) {
	ack, acked := s.c.Spaces[s.from].SndUna()
	accepted := end || acked && ack > s.next
	for i := range s.held {
		p := &s.held[i]
		if p.Data.Start > s.next {
			break
		}
		if p.Data.End <= s.next {
			continue
		}
		switch p.verdict {
		case dss.CheckPending:
			if !accepted && s.c.Fallback == "" {
				continue
			}
		case dss.CheckInvalid:
			if !accepted {
				continue
			}
		}
		if best == nil || p.isBetter(best, s.next) {
			best = p
		}
	}
	return best
}

// isBetter reports whether p is a better copy of the byte at position at than q. It compares the
// checksums first, then whether the byte was captured, then the order, because a receiver keeps
// the copy that came first.
func (p *piece) isBetter(q *piece, at seq.DSN) bool {
	if a, b := rank(p.verdict), rank(q.verdict); a != b {
		return a > b
	}
	if a, b := p.holds(at), q.holds(at); a != b {
		return a
	}
	return p.Packet < q.Packet
}

// holds reports whether the byte at position at of the copy was captured.
func (p *piece) holds(at seq.DSN) bool { return int64(at-p.Data.Start) < int64(len(p.Payload)) }

func rank(v dss.CheckResult) int {
	return [...]int{dss.CheckPending: 1, dss.CheckValid: 2, dss.CheckInvalid: 0, dss.CheckImpossible: 2}[v]
}

// prune removes pieces that were written.
func (s *Stream) prune() {
	s.held = slices.DeleteFunc(s.held, func(p piece) bool {
		if p.Data.End > s.next {
			return false
		}
		s.size -= int64(len(p.Payload))
		return true
	})
}

// missing ends the stream with an error at its next byte.
func (s *Stream) missing(why string) {
	abs, _ := s.c.Spaces[s.from].Absolute(s.next)
	s.Err = &MissingError{DSN: abs, Byte: s.syn + int64(s.next) - 1, Why: why}
}

// Close writes what is left, and sets Err if the stream is not whole.
func (s *Stream) Close(int64) {
	if s.Err != nil {
		return
	}
	s.advance(true)
	if s.Err == nil && s.next < s.c.Spaces[s.from].SndNxt() && !s.onlyFIN() {
		s.missing("not captured")
	}
}

// onlyFIN reports whether only a DATA_FIN can be missing: the receiver acknowledged one
// byte more than the capture holds, and every subflow was captured whole, from its
// first byte to its FIN. A DATA_FIN takes a position of the data and none of a subflow
// (RFC 8684, Section 3.3.3).
func (s *Stream) onlyFIN() bool {
	if s.c.Spaces[s.from].SndNxt() != s.next+1 {
		return false
	}
	for _, sub := range s.c.Subflows {
		half := &sub.Senders[s.from]
		_, fromSYN := half.ISN()
		fin, ended := half.FIN()
		if !fromSYN || !ended || int64(fin)-1 != sub.Spaces[s.from].MappedUnique() {
			return false
		}
	}
	return len(s.c.Subflows) > 0
}
