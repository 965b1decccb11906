package packets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
		b = appendRange(b, m.DSN, m.DSN+seq.DSN(m.Length()))
	}
	return strconv.AppendInt(append(b, '@'), max(int64(m.SSN), -1), 10)
}

// record returns a line as a [Record].
func (r *renderer) record(l *line) *Record {
	out := &Record{
		Schema: schemaName, Kind: kindOf(l), Connection: known(l.conn.ID, l.conn.ID >= 0), Subflow: l.sub, Direction: direction(l.from),
		From: string(r.appendEnd(nil, &l.src)), To: string(r.appendEnd(nil, &l.dst)), Flags: names(l.flags, tcpFlags), Seq: known(r.tcpSeq(l)), Ack: known(r.tcpAck(l)),
		Length: l.length, SSN: known([2]int64{int64(l.ssn.Start), int64(l.ssn.End)}, !l.ssn.Empty()), Marks: names(l.marks, markNames),
		DataAck: known(int64(l.dataAck), l.hasDataAck), Options: r.options(l),
	}
	if !r.normalise {
		out.Packet, out.Time, out.TS = l.num, report.Time(packet.Unix(l.time)).String(), new(float64(l.time-l.start)/1e9)
		out.Window, out.Original, out.RTT = known(l.window, !l.icmp), l.original(), known(float64(l.rtt)/1e6, l.hasRTT)
	}
	for _, d := range l.dsn {
		out.DSN = append(out.DSN, [2]int64{int64(d.Start), int64(d.End)})
	}
	if m := &l.mapping; l.hasMapping {
		out.Mapping = &Mapping{int64(m.DSN), known(int64(m.SSN), m.SSN >= 0), m.Length(), m.Infinite, m.DataFIN()}
	}
	for _, c := range l.checks {
		x := Checksum{Verdict: checkNames[c.Result]}
		if !r.normalise {
			x.Packet = c.Packet
		}
		out.Checksums = append(out.Checksums, x)
	}
	for i := range l.convert {
		out.Convert = append(out.Convert, ConvertTLV{l.convert[i].Name(), l.convert[i].Text()})
	}
	for i := range l.events {
		x := r.event(&l.events[i])
		if !r.normalise && l.events[i].packet != l.num {
			x.Packet = l.events[i].packet
		}
		out.Events = append(out.Events, x)
	}
	return out
}

// known returns a value, nil where it is not known.
func known[T any](v T, is bool) *T {
	if !is {
		return nil
	}
	return &v
}

// appendJSON appends a value as JSON.
func appendJSON(b []byte, v any) []byte {
	out := bytes.NewBuffer(b)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // JSON has all values of these types
	return out.Bytes()[:out.Len()-1]
}
