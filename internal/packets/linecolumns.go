package packets

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// column is a value of a line as text.
type column struct {
	name string
	// value appends it. It appends nothing for what is not known.
	value func(r *renderer, b []byte, l *line) []byte
}

// columns are those of a line per packet.
var columns = []column{
	{"packet", packetNumber},
	{"time", captureTime},
	{"t_s", sinceStart},
	{"kind", (*renderer).kind},
	{"id", (*renderer).connection},
	{"subflow", (*renderer).subflow},
	{"from", func(r *renderer, b []byte, l *line) []byte { return r.appendEnd(b, &l.src) }},
	{"to", func(r *renderer, b []byte, l *line) []byte { return r.appendEnd(b, &l.dst) }},
	{"flags", func(_ *renderer, b []byte, l *line) []byte { return appendBits(b, l.flags, tcpFlags) }},
	{"seq", ofTCP(func(r *renderer, b []byte, l *line) []byte { return r.appendNumber(b, l.seq, l.isn, l.hasISN) })},
	{"ack", func(r *renderer, b []byte, l *line) []byte {
		if l.flags&packet.ACK == 0 {
			return b
		}
		return r.appendNumber(b, l.ack, l.peerISN, l.hasPeerISN)
	}},
	{"window", ofTCP(window)},
	{"length", ofTCP(func(_ *renderer, b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.length), 10) })},
	{"ssn", func(_ *renderer, b []byte, l *line) []byte {
		if l.ssn.Empty() {
			return b
		}
		return appendRange(b, l.ssn.Start, l.ssn.End)
	}},
	{"dsn", func(_ *renderer, b []byte, l *line) []byte { return appendDSN(b, l.dsn) }},
	{"mapping", (*renderer).mapping},
	{"mark", func(_ *renderer, b []byte, l *line) []byte { return l.marks.append(b) }},
	{"data_ack", (*renderer).dataAck},
	{"rtt_ms", func(r *renderer, b []byte, l *line) []byte { return r.roundTrip(b, l, 3) }},
	{"original", varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.original()) })},
	{"checksums", (*renderer).checksums},
	{"events", (*renderer).eventKinds},
	{"options", (*renderer).optionTexts},
}

// ofTCP returns a value that is absent in the line of an ICMP error.
func ofTCP(value func(*renderer, []byte, *line) []byte) func(*renderer, []byte, *line) []byte {
	return func(r *renderer, b []byte, l *line) []byte {
		if l.icmp {
			return b
		}
		return value(r, b, l)
	}
}

// appendLine appends the columns of a line, and absent for each that is not known.
func (r *renderer) appendLine(b []byte, l *line, columns []column, absent string) []byte {
	for i := range columns {
		if i > 0 {
			b = append(b, '\t')
		}
		n := len(b)
		if b = columns[i].value(r, b, l); len(b) == n {
			b = append(b, absent...)
		}
	}
	return append(b, '\n')
}

// header returns the names of columns as a line.
func header(columns []column) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return strings.Join(names, "\t") + "\n"
}

// Values that vary from capture to capture.
var (
	packetNumber = varying(func(b []byte, l *line) []byte { return strconv.AppendUint(b, l.num, 10) })
	captureTime  = varying(func(b []byte, l *line) []byte { return appendSeconds(b, packet.Unix(l.time)) })
	sinceStart   = varying(func(b []byte, l *line) []byte { return appendSeconds(b, l.time-l.start) })
	window       = varying(func(b []byte, l *line) []byte { return strconv.AppendUint(b, uint64(l.window), 10) })
)

// varying returns the value of a column that --normalise leaves out.
func varying(value func(b []byte, l *line) []byte) func(*renderer, []byte, *line) []byte {
	return func(r *renderer, b []byte, l *line) []byte {
		if r.names != nil {
			return b
		}
		return value(b, l)
	}
}

func (r *renderer) kind(b []byte, l *line) []byte {
	if l.conn.Kind == conn.Multipath {
		return append(b, "mptcp"...)
	}
	return append(b, "tcp"...)
}

func (r *renderer) connection(b []byte, l *line) []byte {
	if l.conn.ID < 0 {
		return b
	}
	return strconv.AppendInt(b, int64(l.conn.ID), 10)
}

func (r *renderer) subflow(b []byte, l *line) []byte { return strconv.AppendInt(b, int64(l.sub), 10) }

// appendEnd appends what end returns.
func (r *renderer) appendEnd(b []byte, e *packet.Endpoint) []byte {
	if r.names != nil {
		return append(b, r.end(*e)...)
	}
	return e.AddrPort().AppendTo(b)
}

// appendNumber appends a number of the TCP header. With --normalise it is relative to the initial
// one, and nothing if that is not known.
func (r *renderer) appendNumber(b []byte, n, isn seq.Wire, known bool) []byte {
	switch {
	case r.names == nil:
		return strconv.AppendUint(b, uint64(n), 10)
	case known:
		return strconv.AppendUint(b, uint64(uint32(n-isn)), 10)
	}
	return b
}

// mapping appends a mapping: data sequence numbers, then @ and the subflow sequence number at
// which they begin.
func (r *renderer) mapping(b []byte, l *line) []byte {
	m := &l.mapping
	switch {
	case !l.hasMapping:
		return b
	case m.Infinite:
		b = append(strconv.AppendInt(b, int64(m.DSN), 10), ":infinite"...)
	default:
		b = appendRange(b, int64(m.DSN), int64(m.DSN)+m.Length())
	}
	return strconv.AppendInt(append(b, '@'), max(int64(m.SSN), -1), 10)
}

func (r *renderer) dataAck(b []byte, l *line) []byte {
	if !l.hasDataAck {
		return b
	}
	return strconv.AppendInt(b, int64(l.dataAck), 10)
}

// roundTrip appends a round trip in ms with so many digits, -1 for as many as it has.
func (r *renderer) roundTrip(b []byte, l *line, digits int) []byte {
	if !l.hasRTT || r.names != nil {
		return b
	}
	return strconv.AppendFloat(b, float64(l.rtt)/1e6, 'f', digits, 64)
}

// checksums appends results of checksums, each behind the number of the packet that announced the mapping,
// as in 5:valid.
func (r *renderer) checksums(b []byte, l *line) []byte {
	return appendJoined(b, l.checks, func(b []byte, c *dss.Check) []byte {
		if r.names == nil {
			b = append(strconv.AppendUint(b, c.Packet, 10), ':')
		}
		return append(b, checkNames[c.Result]...)
	})
}

func (r *renderer) eventKinds(b []byte, l *line) []byte {
	return appendJoined(b, l.events, func(b []byte, e *event) []byte { return append(b, e.kind...) })
}

// optionTexts appends options with semicolons between them: the subtype, then key=value pairs
// with blanks between them. The TLVs of the Convert Protocol follow.
func (r *renderer) optionTexts(b []byte, l *line) []byte {
	start := len(b)
	if l.hasDSS {
		b = r.appendDSS(b, &l.dss)
	}
	if len(l.other)+len(l.convert) == 0 {
		return b
	}
	next := func() {
		if len(b) > start {
			b = append(b, "; "...)
		}
	}
	mptcp.Walk(l.other, func(sub mptcp.Subtype, opt []byte) bool {
		next()
		if d := dssOf(sub, opt); d != nil {
			b = r.appendDSS(b, d)
		} else {
			o := r.option(l, sub, opt)
			b = append(b, o.text()...)
		}
		return true
	})
	for i := range l.convert {
		next()
		b = append(b, "Convert "+l.convert[i].Name()+" "+l.convert[i].Text()...)
	}
	return b
}

// dssWire are the flags of a DSS that are on the wire.
const dssWire = mptcp.DSSFin | mptcp.DSSDSN8 | mptcp.DSSMap | mptcp.DSSAck8 | mptcp.DSSAck

// appendDSS appends a DSS in the form of [Option.text]. Nearly every packet has one, so no
// Option is made.
func (r *renderer) appendDSS(b []byte, d *mptcp.DSS) []byte {
	b = append(b, "DSS"...)
	if d.Flags&dssWire != 0 {
		b = appendDSSFlags(append(b, " flags="...), d)
	}
	return r.appendDSSNumbers(b, d, &dssText)
}

// dssForm has the texts before the numbers of a DSS, and behind the checksum.
type dssForm struct{ ack, dsn, ssn, length, checksum, end string }

var (
	dssText = dssForm{" ack=", " dsn=", " ssn=", " len=", " checksum=", ""}
	dssJSON = dssForm{`,"data_ack":`, `,"dsn":`, `,"ssn":`, `,"data_length":`, `,"checksum":"`, `"`}
)

// appendDSSNumbers appends the numbers of a DSS in a form.
func (r *renderer) appendDSSNumbers(b []byte, d *mptcp.DSS, in *dssForm) []byte {
	if d.Has(mptcp.DSSAck) && r.names == nil {
		b = strconv.AppendUint(append(b, in.ack...), d.DataAck, 10)
	}
	if !d.Has(mptcp.DSSMap) {
		return b
	}
	if r.names == nil {
		b = strconv.AppendUint(append(b, in.dsn...), d.DSN, 10)
	}
	b = strconv.AppendUint(append(b, in.ssn...), uint64(d.SSN), 10)
	b = strconv.AppendUint(append(b, in.length...), uint64(d.Length), 10)
	if !d.Has(mptcp.DSSChecksum) {
		return b
	}
	if b = append(b, in.checksum...); r.names != nil {
		b = append(b, "set"...)
	} else {
		b = hex.AppendEncode(b, []byte{byte(d.Checksum >> 8), byte(d.Checksum)})
	}
	return append(b, in.end...)
}

// appendRange appends a range: its first position and the one behind its last.
func appendRange[T seq.SSN | seq.DSN | int64](b []byte, start, end T) []byte {
	b = strconv.AppendInt(b, int64(start), 10)
	return strconv.AppendInt(append(b, ':'), int64(end), 10)
}

// appendDSN appends the data sequence numbers of the payload, one range for each contiguous
// part.
func appendDSN(b []byte, list []seq.Range[seq.DSN]) []byte {
	return appendJoined(b, list, func(b []byte, r *seq.Range[seq.DSN]) []byte { return appendRange(b, r.Start, r.End) })
}

func appendNumbers(b []byte, list []uint64) []byte {
	return appendJoined(b, list, func(b []byte, n *uint64) []byte { return strconv.AppendUint(b, *n, 10) })
}

// original returns the packets that carried the data of a retransmission or reinjection first.
func (l *line) original() []uint64 {
	return distinct(slices.Concat(l.retransmissionOf, l.reinjectionOf))
}
