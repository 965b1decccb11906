package packets

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Prefix begins the names of the fields that are not in the packet, and every comment of [NewComments].
const Prefix = "mpanalyze"

// fields are the values of a line one by one, as the dissector in packaging/wireshark names them
// behind [Prefix] and a dot. Several values of a field have commas between them. The order is that
// of the comments.
var fields = []column{
	{"packet", packetNumber},
	{"kind", (*renderer).kind},
	{"connection", (*renderer).connection},
	{"subflow", (*renderer).subflow},
	{"direction", func(_ *renderer, b []byte, l *line) []byte { return append(b, direction(l.from)...) }},
	{"t_s", sinceStart},
	{"transmission", (*renderer).transmission},
	{"retransmission_of", varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.retransmissionOf) })},
	{"reinjection_of", varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.reinjectionOf) })},
	{"mark", func(_ *renderer, b []byte, l *line) []byte { return (l.marks &^ transmissions).append(b) }},
	{"ssn", func(_ *renderer, b []byte, l *line) []byte { return appendPosition(b, l.ssn.Start, !l.ssn.Empty()) }},
	{"ssn_end", func(_ *renderer, b []byte, l *line) []byte { return appendPosition(b, l.ssn.End, !l.ssn.Empty()) }},
	{"dsn", func(_ *renderer, b []byte, l *line) []byte {
		return appendJoined(b, l.dsn, func(b []byte, r *seq.Range[seq.DSN]) []byte { return strconv.AppendInt(b, int64(r.Start), 10) })
	}},
	{"dsn_end", func(_ *renderer, b []byte, l *line) []byte {
		return appendJoined(b, l.dsn, func(b []byte, r *seq.Range[seq.DSN]) []byte { return strconv.AppendInt(b, int64(r.End), 10) })
	}},
	{"mapping.dsn", func(_ *renderer, b []byte, l *line) []byte { return appendPosition(b, l.mapping.DSN, l.hasMapping) }},
	{"mapping.ssn", func(_ *renderer, b []byte, l *line) []byte {
		return appendPosition(b, l.mapping.SSN, l.hasMapping && l.mapping.SSN >= 0)
	}},
	{"mapping.length", func(_ *renderer, b []byte, l *line) []byte {
		return appendPosition(b, seq.DSN(l.mapping.Length()), l.hasMapping && !l.mapping.Infinite)
	}},
	{"data_ack", (*renderer).dataAck},
	{"rtt_ms", func(r *renderer, b []byte, l *line) []byte { return r.roundTrip(b, l, -1) }},
	{"checksum", (*renderer).checksums},
	{"event", (*renderer).eventKinds},
}

// headerFields are in the packet. They have Wireshark's names.
var headerFields = []column{
	{"frame.number", packetNumber},
	{"frame.time_epoch", captureTime},
	{"ip.src", func(_ *renderer, b []byte, l *line) []byte { return appendAddr(b, &l.src, netip.Addr.Is4) }},
	{"ip.dst", func(_ *renderer, b []byte, l *line) []byte { return appendAddr(b, &l.dst, netip.Addr.Is4) }},
	{"ipv6.src", func(_ *renderer, b []byte, l *line) []byte { return appendAddr(b, &l.src, netip.Addr.Is6) }},
	{"ipv6.dst", func(_ *renderer, b []byte, l *line) []byte { return appendAddr(b, &l.dst, netip.Addr.Is6) }},
	{"tcp.srcport", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.src.Port), 10) })},
	{"tcp.dstport", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.dst.Port), 10) })},
	{"tcp.seq_raw", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.seq), 10) })},
	{"tcp.ack_raw", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.ack), 10) })},
	{"tcp.window_size_value", ofTCP(window)},
	{"tcp.len", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.length), 10) })},
}

// FieldNames returns the names of all fields.
func FieldNames() (names []string) {
	for i := range fields {
		names = append(names, Prefix+"."+fields[i].name)
	}
	for i := range headerFields {
		names = append(names, headerFields[i].name)
	}
	return names
}

// Field is a value of a packet that [Options.Fields] can choose.
type Field struct{ column }

// FieldNamed returns the field of a name, with or without [Prefix].
func FieldNamed(name string) (Field, error) {
	for i := range fields {
		if strings.TrimPrefix(name, Prefix+".") == fields[i].name {
			return Field{column{Prefix + "." + fields[i].name, fields[i].value}}, nil
		}
	}
	for i := range headerFields {
		if name == headerFields[i].name {
			return Field{headerFields[i]}, nil
		}
	}
	return Field{}, fmt.Errorf("no field %q; there are %s", name, strings.Join(FieldNames(), ", "))
}

// appendComment appends the fields of a line as one comment.
func (r *renderer) appendComment(b []byte, l *line) []byte {
	b = append(b, Prefix+":"...)
	for i := range fields {
		before := len(b)
		b = append(append(append(b, ' '), fields[i].name...), '=')
		n := len(b)
		if b = fields[i].value(r, b, l); len(b) == n {
			b = b[:before]
		}
	}
	return b
}

// transmissions are the marks that say whether payload was sent before.
const transmissions = retransmission | reinjection | reinjectionSame

// transmission appends how payload is sent: for the first time, or again. A packet may have
// payload of several kinds.
func (r *renderer) transmission(b []byte, l *line) []byte {
	if !l.unsent {
		return (l.marks & transmissions).append(b)
	}
	if b = append(b, "first"...); l.marks&transmissions == 0 {
		return b
	}
	return (l.marks & transmissions).append(append(b, ','))
}

// appendPosition appends a position if it is known.
func appendPosition[T seq.Position](b []byte, p T, known bool) []byte {
	if !known {
		return b
	}
	return strconv.AppendInt(b, int64(p), 10)
}

// appendAddr appends an address if it is of a family.
func appendAddr(b []byte, e *packet.Endpoint, family func(netip.Addr) bool) []byte {
	if addr := e.AddrPort().Addr(); family(addr) {
		return addr.AppendTo(b)
	}
	return b
}
