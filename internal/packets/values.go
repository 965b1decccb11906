package packets

import (
	"net/netip"
	"slices"
	"strconv"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// A value of a line is appended as text; nothing is appended for what is not known. Columns and
// fields are lists of values.
type value = func(r *renderer, b []byte, l *line) []byte

// values are those of columns and fields, by name.
var values = map[string]value{
	"packet":            varying(func(b []byte, l *line) []byte { return strconv.AppendUint(b, l.num, 10) }),
	"time":              varying(func(b []byte, l *line) []byte { return appendSeconds(b, packet.Unix(l.time)) }),
	"t_s":               varying(func(b []byte, l *line) []byte { return appendSeconds(b, l.time-l.start) }),
	"kind":              func(_ *renderer, b []byte, l *line) []byte { return append(b, kindOf(l)...) },
	"connection":        position(func(l *line) (int64, bool) { return int64(l.conn.ID), l.conn.ID >= 0 }),
	"subflow":           position(func(l *line) (int64, bool) { return int64(l.sub), true }),
	"direction":         func(_ *renderer, b []byte, l *line) []byte { return append(b, direction(l.from)...) },
	"from":              func(r *renderer, b []byte, l *line) []byte { return r.appendEnd(b, &l.src) },
	"to":                func(r *renderer, b []byte, l *line) []byte { return r.appendEnd(b, &l.dst) },
	"flags":             func(_ *renderer, b []byte, l *line) []byte { return appendBits(b, l.flags, tcpFlags) },
	"seq":               func(r *renderer, b []byte, l *line) []byte { n, known := r.tcpSeq(l); return appendKnown(b, n, known) },
	"ack":               func(r *renderer, b []byte, l *line) []byte { n, known := r.tcpAck(l); return appendKnown(b, n, known) },
	"window":            varying(func(b []byte, l *line) []byte { return appendKnown(b, int64(l.window), !l.icmp) }),
	"length":            position(func(l *line) (int64, bool) { return int64(l.length), !l.icmp }),
	"ssn":               ssnRange,
	"ssn_start":         position(func(l *line) (int64, bool) { return int64(l.ssn.Start), !l.ssn.Empty() }),
	"ssn_end":           position(func(l *line) (int64, bool) { return int64(l.ssn.End), !l.ssn.Empty() }),
	"dsn":               dsnRanges,
	"dsn_start":         dsnEdges(func(r *seq.Range[seq.DSN]) seq.DSN { return r.Start }),
	"dsn_end":           dsnEdges(func(r *seq.Range[seq.DSN]) seq.DSN { return r.End }),
	"mapping":           mappingText,
	"mapping.dsn":       position(func(l *line) (int64, bool) { return int64(l.mapping.DSN), l.hasMapping }),
	"mapping.ssn":       position(func(l *line) (int64, bool) { return int64(l.mapping.SSN), l.hasMapping && l.mapping.SSN >= 0 }),
	"mapping.length":    position(func(l *line) (int64, bool) { return l.mapping.Length(), l.hasMapping && !l.mapping.Infinite }),
	"marks":             marksOnly(allMarks),
	"other_marks":       marksOnly(allMarks &^ transmissions),
	"transmission":      transmission,
	"retransmission_of": varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.retransmissionOf) }),
	"reinjection_of":    varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.reinjectionOf) }),
	"original":          varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.original()) }),
	"data_ack":          position(func(l *line) (int64, bool) { return int64(l.dataAck), l.hasDataAck }),
	"rtt":               roundTrip(3),
	"rtt_ms":            roundTrip(-1),
	"checksums":         checksums,
	"events":            eventKinds,
	"options":           (*renderer).optionTexts,

	// fields of the packet
	"ip.src":      address(source, netip.Addr.Is4),
	"ip.dst":      address(destination, netip.Addr.Is4),
	"ipv6.src":    address(source, netip.Addr.Is6),
	"ipv6.dst":    address(destination, netip.Addr.Is6),
	"tcp.srcport": position(func(l *line) (int64, bool) { return int64(l.src.Port), !l.icmp }),
	"tcp.dstport": position(func(l *line) (int64, bool) { return int64(l.dst.Port), !l.icmp }),
	"tcp.seq_raw": position(func(l *line) (int64, bool) { return int64(l.seq), !l.icmp }),
	"tcp.ack_raw": position(func(l *line) (int64, bool) { return int64(l.ack), !l.icmp }),
}

func source(l *line) *packet.Endpoint      { return &l.src }
func destination(l *line) *packet.Endpoint { return &l.dst }

// varying returns a value that --normalise leaves out.
func varying(of func(b []byte, l *line) []byte) value {
	return func(r *renderer, b []byte, l *line) []byte {
		if r.normalise {
			return b
		}
		return of(b, l)
	}
}

// position returns the value of a number that may not be known.
func position(of func(l *line) (n int64, known bool)) value {
	return func(_ *renderer, b []byte, l *line) []byte {
		n, known := of(l)
		return appendKnown(b, n, known)
	}
}

func appendKnown(b []byte, n int64, known bool) []byte {
	if !known {
		return b
	}
	return strconv.AppendInt(b, n, 10)
}

func kindOf(l *line) string {
	if l.conn.Kind == conn.Multipath {
		return "mptcp"
	}
	return "tcp"
}

// appendEnd appends an endpoint, with --normalise without its port.
func (r *renderer) appendEnd(b []byte, e *packet.Endpoint) []byte {
	if r.normalise {
		return e.AddrPort().Addr().AppendTo(b)
	}
	return e.AddrPort().AppendTo(b)
}

// tcpSeq and tcpAck are numbers of the TCP header. With --normalise they are relative to the initial
// ones, and nothing if those are not known.
func (r *renderer) tcpSeq(l *line) (n int64, known bool) {
	if r.normalise {
		return int64(l.seq - l.isn), l.hasISN && !l.icmp
	}
	return int64(l.seq), !l.icmp
}

func (r *renderer) tcpAck(l *line) (n int64, known bool) {
	has := l.flags&packet.ACK != 0
	if r.normalise {
		return int64(l.ack - l.peerISN), l.hasPeerISN && has
	}
	return int64(l.ack), has
}

// marksOnly returns the names of some of the marks.
func marksOnly(only marks) value {
	return func(_ *renderer, b []byte, l *line) []byte { return appendBits(b, l.marks&only, markNames) }
}

// ssnRange appends the first position of the payload in the stream of the subflow and the one behind its last.
func ssnRange(_ *renderer, b []byte, l *line) []byte {
	if l.ssn.Empty() {
		return b
	}
	return appendRange(b, l.ssn.Start, l.ssn.End)
}

// dsnRanges does the same in the stream of the connection, for each contiguous part.
func dsnRanges(_ *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.dsn, func(b []byte, r *seq.Range[seq.DSN]) []byte { return appendRange(b, r.Start, r.End) })
}

// dsnEdges returns one end of each of these parts.
func dsnEdges(end func(*seq.Range[seq.DSN]) seq.DSN) value {
	return func(_ *renderer, b []byte, l *line) []byte {
		return appendJoined(b, l.dsn, func(b []byte, r *seq.Range[seq.DSN]) []byte { return strconv.AppendInt(b, int64(end(r)), 10) })
	}
}

func appendRange[T seq.Position](b []byte, start, end T) []byte {
	b = append(strconv.AppendInt(b, int64(start), 10), ':')
	return strconv.AppendInt(b, int64(end), 10)
}

// roundTrip returns a round trip in ms with so many digits, -1 for as many as it has.
func roundTrip(digits int) value {
	return varying(func(b []byte, l *line) []byte {
		if !l.hasRTT {
			return b
		}
		return strconv.AppendFloat(b, float64(l.rtt)/1e6, 'f', digits, 64)
	})
}

func appendNumbers(b []byte, list []uint64) []byte {
	return appendJoined(b, list, func(b []byte, n *uint64) []byte { return strconv.AppendUint(b, *n, 10) })
}

// original returns the packets that carried the data of a retransmission or reinjection first.
func (l *line) original() []uint64 {
	if len(l.retransmissionOf)+len(l.reinjectionOf) == 0 {
		return nil
	}
	return distinct(slices.Concat(l.retransmissionOf, l.reinjectionOf))
}

// checksums appends results of checksums, each behind the number of the packet that announced the mapping,
// as in 5:valid.
func checksums(r *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.checks, func(b []byte, c *dss.Check) []byte {
		if !r.normalise {
			b = append(strconv.AppendUint(b, c.Packet, 10), ':')
		}
		return append(b, checkNames[c.Result]...)
	})
}

func eventKinds(_ *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.events, func(b []byte, e *event) []byte { return append(b, e.kind...) })
}

// transmission appends how payload is sent: for the first time, or again. A packet may have
// payload of several kinds.
func transmission(_ *renderer, b []byte, l *line) []byte {
	again := l.marks & transmissions
	if l.unsent {
		b = append(b, "first"...)
		if again != 0 {
			b = append(b, ',')
		}
	}
	return appendBits(b, again, markNames)
}

// address returns the value of an address of a family.
func address(end func(*line) *packet.Endpoint, family func(netip.Addr) bool) value {
	return func(_ *renderer, b []byte, l *line) []byte {
		if addr := end(l).AddrPort().Addr(); family(addr) {
			return addr.AppendTo(b)
		}
		return b
	}
}
