package packets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
)

// Prefix begins the names of the fields that are not in the packet, and every comment of [NewComments].
const Prefix = "mpanalyze"

// Field is a value of a packet with its name: a column, or one of those that [Options.Fields] can choose.
type Field struct {
	name  string
	value value
}

// columns are those of a line per packet, by the names of [values]. A column that has another name than its value has both.
var columns = chosen("", `packet time t_s kind id=connection subflow from to flags seq ack window length ssn dsn mapping mark=marks
	data_ack rtt_ms=rtt original checksums events options`)

// fields are the values of a line one by one, as the dissector in packaging/wireshark names them.
// Several values of a field have commas between them. The order is that of the comments. Behind
// them are fields that are in the packet, by Wireshark's names.
var (
	ownFields = chosen(Prefix+".", `packet kind connection subflow direction t_s transmission retransmission_of reinjection_of
		mark=other_marks ssn=ssn_start ssn_end dsn=dsn_start dsn_end mapping.dsn mapping.ssn mapping.length data_ack rtt_ms
		checksum=checksums event=events`)
	fields = append(slices.Clip(ownFields), chosen("", `frame.number=packet frame.time_epoch=time ip.src ip.dst ipv6.src ipv6.dst
		tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.window_size_value=window tcp.len=length`)...)
)

// chosen returns columns of these names, each NAME or NAME=VALUE, with a prefix.
func chosen(prefix, list string) (columns []Field) {
	for both := range strings.FieldsSeq(list) {
		name, of, other := strings.Cut(both, "=")
		if !other {
			of = name
		}
		columns = append(columns, Field{prefix + name, values[of]})
	}
	return columns
}

// namesOf returns the names of columns.
func namesOf(columns []Field) (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// FieldNames returns the names of all fields.
func FieldNames() []string { return namesOf(fields) }

// FieldNamed returns the field of a name, with or without [Prefix].
func FieldNamed(name string) (Field, error) {
	for _, f := range fields {
		if f.name == name || f.name == Prefix+"."+name {
			return f, nil
		}
	}
	return Field{}, fmt.Errorf("no field %q; there are %s", name, strings.Join(FieldNames(), ", "))
}

// appendLine appends the columns of a line, and absent for each that is not known.
func (r *renderer) appendLine(b []byte, l *line, columns []Field, absent string) []byte {
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
	for i := range ownFields {
		before := len(b)
		b = append(append(append(b, ' '), ownFields[i].name[len(Prefix)+1:]...), '=')
		n := len(b)
		if b = ownFields[i].value(r, b, l); len(b) == n {
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
}

// bare is a member whose value is a number or an object, text one in quotation marks, and list a list.
func bare(name string, v value) member { return member{`"` + name + `":`, ",", false, v} }
func text(name string, v value) member { return member{`"` + name + `":"`, `",`, false, v} }
func list(name string, v value) member { return member{`"` + name + `":[`, "],", false, v} }

// members are those of [Record], and mappingMembers those of [Mapping]. A test holds their text to that of
// encoding/json.
var (
	members = []member{
		text("schema", func(_ *renderer, b []byte, _ *line) []byte { return append(b, schemaName...) }),
		bare("packet", values["packet"]),
		text("time", varying(func(b []byte, l *line) []byte { return report.Time(packet.Unix(l.time)).Append(b) })),
		bare("t_s", varying(func(b []byte, l *line) []byte { return jsontext.AppendFloat(b, float64(l.time-l.start)/1e9) })),
		text("kind", values["kind"]),
		bare("connection", values["connection"]),
		bare("subflow", values["subflow"]),
		text("direction", values["direction"]),
		text("from", values["from"]),
		text("to", values["to"]),
		{`"flags":[`, "],", true, flags(`"`)},
		bare("seq", values["seq"]),
		bare("ack", values["ack"]),
		bare("window", values["window"]),
		bare("length", position(func(l *line) (int64, bool) { return int64(l.length), true })),
		list("ssn", ssnRange(",")),
		{`"dsn":[[`, "]],", false, dsnRanges(",", "],[")},
		bare("mapping", mappingObject),
		list("marks", marksOnly(allMarks, `"`)),
		list("original", values["original"]),
		bare("data_ack", values["data_ack"]),
		bare("rtt_ms", values["rtt_ms"]),
		list("checksums", checksumObjects),
		list("options", func(r *renderer, b []byte, l *line) []byte { return r.options(b, l, &optionJSON) }),
		list("convert", convertObjects),
		list("events", eventObjects),
	}
	mappingMembers = []member{
		bare("dsn", values["mapping.dsn"]),
		bare("ssn", values["mapping.ssn"]),
		bare("length", position(func(l *line) (int64, bool) { return l.mapping.Length(), true })),
		bare("infinite", trueIf(func(m *conn.Mapping) bool { return m.Infinite })),
		bare("data_fin", trueIf((*conn.Mapping).DataFIN)),
	}
)

// appendObject appends members of a line as an object of JSON, which has one at least.
func (r *renderer) appendObject(b []byte, l *line, members []member) []byte {
	b = append(b, '{')
	for i := range members {
		m := &members[i]
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

func trueIf(is func(*conn.Mapping) bool) value {
	return func(_ *renderer, b []byte, l *line) []byte {
		if is(&l.mapping) {
			b = append(b, "true"...)
		}
		return b
	}
}

func mappingObject(r *renderer, b []byte, l *line) []byte {
	if !l.hasMapping {
		return b
	}
	return r.appendObject(b, l, mappingMembers)
}

func convertObjects(_ *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.convert, ",", func(b []byte, c *packet.ConvertTLV) []byte { return appendJSON(b, ConvertTLV{c.Name(), c.Text()}) })
}

// checksumObjects appends each [Checksum].
func checksumObjects(r *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.checks, ",", func(b []byte, c *dss.Check) []byte {
		b = append(b, '{')
		if !r.normalise && c.Packet != 0 {
			b = append(strconv.AppendUint(append(b, `"packet":`...), c.Packet, 10), ',')
		}
		return append(jsontext.AppendString(append(b, `"verdict":`...), checkNames[c.Result]), '}')
	})
}

// eventObjects appends each [Event].
func eventObjects(r *renderer, b []byte, l *line) []byte {
	return appendJoined(b, l.events, ",", func(b []byte, e *event) []byte {
		x := r.event(e)
		if !r.normalise && e.packet != l.num {
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
