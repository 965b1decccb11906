package packets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// Prefix begins the names of the fields that are not in the packet, and every comment of [NewComments].
const Prefix = "mpanalyze"

// column is a value of a line with its name.
type column struct {
	name  string
	value value
}

// columns are those of a line per packet.
var columns = []column{
	{"packet", packetNumber},
	{"time", captureTime},
	{"t_s", sinceStart},
	{"kind", kind},
	{"id", connection},
	{"subflow", subflowID},
	{"from", from},
	{"to", to},
	{"flags", flags("")},
	{"seq", tcpSeq},
	{"ack", tcpAck},
	{"window", window},
	{"length", tcpLength},
	{"ssn", ssnRange(":")},
	{"dsn", dsnRanges(":", ",")},
	{"mapping", mappingText},
	{"mark", marksOnly(allMarks, "")},
	{"data_ack", dataAck},
	{"rtt_ms", roundTrip(3)},
	{"original", original},
	{"checksums", checksums},
	{"events", eventKinds},
	{"options", (*renderer).optionTexts},
}

// fields are the values of a line one by one, as the dissector in packaging/wireshark names them
// behind [Prefix] and a dot. Several values of a field have commas between them. The order is that
// of the comments.
var fields = []column{
	{"packet", packetNumber},
	{"kind", kind},
	{"connection", connection},
	{"subflow", subflowID},
	{"direction", directionName},
	{"t_s", sinceStart},
	{"transmission", transmission},
	{"retransmission_of", varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.retransmissionOf) })},
	{"reinjection_of", varying(func(b []byte, l *line) []byte { return appendNumbers(b, l.reinjectionOf) })},
	{"mark", marksOnly(allMarks&^transmissions, "")},
	{"ssn", position(func(l *line) (int64, bool) { return int64(l.ssn.Start), !l.ssn.Empty() })},
	{"ssn_end", position(func(l *line) (int64, bool) { return int64(l.ssn.End), !l.ssn.Empty() })},
	{"dsn", func(_ *renderer, b []byte, l *line) []byte {
		return appendJoined(b, l.dsn, ",", func(b []byte, r *seq.Range[seq.DSN]) []byte { return strconv.AppendInt(b, int64(r.Start), 10) })
	}},
	{"dsn_end", func(_ *renderer, b []byte, l *line) []byte {
		return appendJoined(b, l.dsn, ",", func(b []byte, r *seq.Range[seq.DSN]) []byte { return strconv.AppendInt(b, int64(r.End), 10) })
	}},
	{"mapping.dsn", mappingDSN},
	{"mapping.ssn", mappingSSN},
	{"mapping.length", position(func(l *line) (int64, bool) { return l.mapping.Length(), l.hasMapping && !l.mapping.Infinite })},
	{"data_ack", dataAck},
	{"rtt_ms", roundTrip(-1)},
	{"checksum", checksums},
	{"event", eventKinds},
}

// headerFields are in the packet. They have Wireshark's names.
var headerFields = []column{
	{"frame.number", packetNumber},
	{"frame.time_epoch", captureTime},
	{"ip.src", address(source, netip.Addr.Is4)},
	{"ip.dst", address(destination, netip.Addr.Is4)},
	{"ipv6.src", address(source, netip.Addr.Is6)},
	{"ipv6.dst", address(destination, netip.Addr.Is6)},
	{"tcp.srcport", position(func(l *line) (int64, bool) { return int64(l.src.Port), !l.icmp })},
	{"tcp.dstport", position(func(l *line) (int64, bool) { return int64(l.dst.Port), !l.icmp })},
	{"tcp.seq_raw", position(func(l *line) (int64, bool) { return int64(l.seq), !l.icmp })},
	{"tcp.ack_raw", position(func(l *line) (int64, bool) { return int64(l.ack), !l.icmp })},
	{"tcp.window_size_value", window},
	{"tcp.len", tcpLength},
}

func source(l *line) *packet.Endpoint      { return &l.src }
func destination(l *line) *packet.Endpoint { return &l.dst }

// FieldNames returns the names of all fields.
func FieldNames() (names []string) {
	for _, f := range fields {
		names = append(names, Prefix+"."+f.name)
	}
	for _, f := range headerFields {
		names = append(names, f.name)
	}
	return names
}

// Field is a value of a packet that [Options.Fields] can choose.
type Field struct{ column }

// FieldNamed returns the field of a name, with or without [Prefix].
func FieldNamed(name string) (Field, error) {
	for _, f := range fields {
		if strings.TrimPrefix(name, Prefix+".") == f.name {
			return Field{column{Prefix + "." + f.name, f.value}}, nil
		}
	}
	for _, f := range headerFields {
		if name == f.name {
			return Field{f}, nil
		}
	}
	return Field{}, fmt.Errorf("no field %q; there are %s", name, strings.Join(FieldNames(), ", "))
}

// header returns the names of columns as a line.
func header(columns []column) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].name
	}
	return strings.Join(names, "\t") + "\n"
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

// mappingText appends a mapping: data sequence numbers, then @ and the subflow sequence number at
// which they begin.
func mappingText(_ *renderer, b []byte, l *line) []byte {
	m := &l.mapping
	switch {
	case !l.hasMapping:
		return b
	case m.Infinite:
		b = append(strconv.AppendInt(b, int64(m.DSN), 10), ":infinite"...)
	default:
		b = appendRange(b, m.DSN, m.DSN+seq.DSN(m.Length()), ":")
	}
	return strconv.AppendInt(append(b, '@'), max(int64(m.SSN), -1), 10)
}

// member is a value of a line in an object of JSON, with the text around it.
type member struct {
	open, close string
	keep        bool // it is there without a value, too
	value       value
	has         func(*line) bool // whether a value that most packets lack is there; nil to find out by the value
}

// bare is a member whose value is a number or an object, text one in quotation marks, and list a list, which
// most packets lack.
func bare(name string, v value) member { return member{`"` + name + `":`, ",", false, v, nil} }
func text(name string, v value) member { return member{`"` + name + `":"`, `",`, false, v, nil} }
func list(name string, has func(*line) bool, v value) member {
	return member{`"` + name + `":[`, "],", false, v, has}
}

// members are those of [Record], and mappingMembers those of [Mapping]. A test holds their text to that of
// encoding/json.
var (
	members = []member{
		text("schema", func(_ *renderer, b []byte, _ *line) []byte { return append(b, schemaName...) }),
		bare("packet", packetNumber),
		text("time", captureDate),
		bare("t_s", startFloat),
		text("kind", kind),
		bare("connection", connection),
		bare("subflow", subflowID),
		text("direction", directionName),
		text("from", from),
		text("to", to),
		{`"flags":[`, "],", true, flags(`"`), nil},
		bare("seq", tcpSeq),
		bare("ack", tcpAck),
		bare("window", window),
		bare("length", length),
		list("ssn", func(l *line) bool { return !l.ssn.Empty() }, ssnRange(",")),
		{`"dsn":[[`, "]],", false, dsnRanges(",", "],["), func(l *line) bool { return len(l.dsn) > 0 }},
		bare("mapping", func(r *renderer, b []byte, l *line) []byte {
			if !l.hasMapping {
				return b
			}
			return r.appendObject(b, l, mappingMembers)
		}),
		list("marks", func(l *line) bool { return l.marks != 0 }, marksOnly(allMarks, `"`)),
		list("original", func(l *line) bool { return len(l.retransmissionOf)+len(l.reinjectionOf) > 0 }, original),
		bare("data_ack", dataAck),
		bare("rtt_ms", roundTrip(-1)),
		list("checksums", func(l *line) bool { return len(l.checks) > 0 }, checksumObjects),
		list("options", func(l *line) bool { return l.hasDSS || len(l.other) > 0 }, func(r *renderer, b []byte, l *line) []byte { return r.options(b, l, &optionJSON) }),
		list("convert", func(l *line) bool { return len(l.convert) > 0 }, func(_ *renderer, b []byte, l *line) []byte {
			return appendJoined(b, l.convert, ",", func(b []byte, c *packet.ConvertTLV) []byte { return appendJSON(b, ConvertTLV{c.Name(), c.Text()}) })
		}),
		list("events", func(l *line) bool { return len(l.events) > 0 }, eventObjects),
	}
	mappingMembers = []member{
		bare("dsn", mappingDSN),
		bare("ssn", mappingSSN),
		bare("length", mappingLength),
		bare("infinite", trueIf(func(l *line) bool { return l.mapping.Infinite })),
		bare("data_fin", trueIf(func(l *line) bool { return l.mapping.DataFIN() })),
	}
)

// appendObject appends members of a line as an object of JSON, which has one at least.
func (r *renderer) appendObject(b []byte, l *line, members []member) []byte {
	b = append(b, '{')
	for i := range members {
		m := &members[i]
		if m.has != nil && !m.has(l) {
			continue
		}
		b = append(b, m.open...)
		n := len(b)
		if b = m.value(r, b, l); len(b) == n && !m.keep {
			b = b[:n-len(m.open)]
			continue
		}
		b = append(b, m.close...)
	}
	b[len(b)-1] = '}'
	return b
}

func trueIf(is func(*line) bool) value {
	return func(_ *renderer, b []byte, l *line) []byte {
		if is(l) {
			b = append(b, "true"...)
		}
		return b
	}
}

// checksumObjects appends each [Checksum].
func checksumObjects(r *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.checks, ",", func(b []byte, c *dss.Check) []byte {
		b = append(b, '{')
		if r.names == nil && c.Packet != 0 {
			b = append(strconv.AppendUint(append(b, `"packet":`...), c.Packet, 10), ',')
		}
		return append(jsontext.AppendString(append(b, `"verdict":`...), checkNames[c.Result]), '}')
	})
}

// eventObjects appends each [Event].
func eventObjects(r *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.events, ",", func(b []byte, e *event) []byte {
		x := r.event(e)
		if r.names == nil && e.packet != l.num {
			x.Packet = e.packet
		}
		return appendJSON(b, x)
	})
}

// appendJSON appends an option or an event, which few packets have, as JSON.
func appendJSON(b []byte, v any) []byte {
	out := bytes.NewBuffer(b)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // JSON has all values of these types
	return out.Bytes()[:out.Len()-1]
}
