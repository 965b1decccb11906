package packets

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// Every packet has a line, so lines are written without reflection. A test holds their text to
// that of encoding/json.

// appendRecord appends the [Record] of a line as JSON.
func (r *renderer) appendRecord(b []byte, l *line) []byte {
	b = append(b, `{"schema":"`+schemaName+`"`...)
	if r.names == nil {
		b = appendMoment(b, l.num, l.time, l.time-l.start)
	}
	b = append(r.kind(append(member(b, "kind"), '"'), l), '"')
	if l.conn.ID >= 0 {
		b = strconv.AppendInt(member(b, "connection"), int64(l.conn.ID), 10)
	}
	b = strconv.AppendInt(member(b, "subflow"), int64(l.sub), 10)
	b = jsontext.AppendString(member(b, "direction"), direction(l.from))
	b = append(r.appendEnd(append(member(b, "from"), '"'), &l.src), '"')
	b = append(r.appendEnd(append(member(b, "to"), '"'), &l.dst), '"')
	b = r.appendHeader(b, l)
	b = r.appendData(b, l)
	b = r.appendOptions(b, l)
	b = appendConvert(b, l)
	b = r.appendEvents(b, l)
	return append(b, "}\n"...)
}

// appendMoment appends which packet it is, and when it was captured: its time, and how long after
// the connection's first packet, ns.
func appendMoment(b []byte, num uint64, at, since int64) []byte {
	if num != 0 {
		b = strconv.AppendUint(member(b, "packet"), num, 10)
	}
	b = report.Time(packet.Unix(at)).Append(append(member(b, "time"), '"'))
	return jsontext.AppendFloat(member(append(b, '"'), "t_s"), float64(since)/1e9)
}

// appendHeader appends what the TCP header says.
func (r *renderer) appendHeader(b []byte, l *line) []byte {
	b = appendBitList(member(b, "flags"), l.flags, tcpFlags)
	if l.icmp {
		return append(member(b, "length"), '0')
	}
	if r.names == nil || l.hasISN {
		b = r.appendNumber(member(b, "seq"), l.seq, l.isn, l.hasISN)
	}
	if l.flags&packet.ACK != 0 && (r.names == nil || l.hasPeerISN) {
		b = r.appendNumber(member(b, "ack"), l.ack, l.peerISN, l.hasPeerISN)
	}
	if r.names == nil {
		b = strconv.AppendUint(member(b, "window"), uint64(l.window), 10)
	}
	return strconv.AppendUint(member(b, "length"), uint64(l.length), 10)
}

// appendData appends what is known of the payload, and of what the packet acknowledges.
func (r *renderer) appendData(b []byte, l *line) []byte {
	if !l.ssn.Empty() {
		b = appendPair(member(b, "ssn"), int64(l.ssn.Start), int64(l.ssn.End))
	}
	if len(l.dsn) > 0 {
		b = append(member(b, "dsn"), '[')
		for _, d := range l.dsn {
			b = appendPair(item(b), int64(d.Start), int64(d.End))
		}
		b = append(b, ']')
	}
	b = l.appendMapping(b)
	if l.marks != 0 {
		b = appendBitList(member(b, "marks"), l.marks, markNames)
	}
	if r.names == nil && len(l.retransmissionOf)+len(l.reinjectionOf) > 0 {
		b = append(appendNumbers(append(member(b, "original"), '['), l.original()), ']')
	}
	if l.hasDataAck {
		b = strconv.AppendInt(member(b, "data_ack"), int64(l.dataAck), 10)
	}
	if r.names == nil && l.hasRTT {
		b = jsontext.AppendFloat(member(b, "rtt_ms"), float64(l.rtt)/1e6)
	}
	return r.appendChecksums(b, l)
}

// appendMapping appends the mapping that the packet announces.
func (l *line) appendMapping(b []byte) []byte {
	m := &l.mapping
	if !l.hasMapping {
		return b
	}
	b = strconv.AppendInt(member(append(member(b, "mapping"), '{'), "dsn"), int64(m.DSN), 10)
	if m.SSN >= 0 {
		b = strconv.AppendInt(member(b, "ssn"), int64(m.SSN), 10)
	}
	b = strconv.AppendInt(member(b, "length"), m.Length(), 10)
	if m.Infinite {
		b = append(member(b, "infinite"), "true"...)
	}
	if m.DataFIN() {
		b = append(member(b, "data_fin"), "true"...)
	}
	return append(b, '}')
}

// appendChecksums appends the verdicts on checksums.
func (r *renderer) appendChecksums(b []byte, l *line) []byte {
	if len(l.checks) == 0 {
		return b
	}
	b = append(member(b, "checksums"), '[')
	for i := range l.checks {
		c := &l.checks[i]
		b = append(item(b), '{')
		if r.names == nil && c.Packet != 0 {
			b = strconv.AppendUint(member(b, "packet"), c.Packet, 10)
		}
		b = append(jsontext.AppendString(member(b, "verdict"), checkNames[c.Result]), '}')
	}
	return append(b, ']')
}

// appendOptions appends the MPTCP options: the first valid DSS, then the others in the order of
// the header. Nearly every packet has a DSS, so no [Option] is made of that one.
func (r *renderer) appendOptions(b []byte, l *line) []byte {
	if !l.hasDSS && len(l.other) == 0 {
		return b
	}
	b = append(member(b, "options"), '[')
	if l.hasDSS {
		b = r.appendDSSRecord(b, &l.dss)
	}
	if len(l.other) == 0 {
		return append(b, ']')
	}
	return append(r.appendOthers(b, l), ']')
}

// appendOthers appends the options besides the first DSS.
func (r *renderer) appendOthers(b []byte, l *line) []byte {
	mptcp.Walk(l.other, func(sub mptcp.Subtype, opt []byte) bool {
		if d := dssOf(sub, opt); d != nil {
			b = r.appendDSSRecord(item(b), d)
		} else {
			b = appendJSON(item(b), r.option(l, sub, opt))
		}
		return true
	})
	return b
}

// appendDSSRecord appends the [Option] of a DSS.
func (r *renderer) appendDSSRecord(b []byte, d *mptcp.DSS) []byte {
	b = append(b, `{"subtype":"DSS","flags":"`...)
	b = append(appendDSSFlags(b, d), '"')
	return append(r.appendDSSNumbers(b, d, &dssJSON), '}')
}

// appendConvert appends the TLVs of the Convert Protocol.
func appendConvert(b []byte, l *line) []byte {
	if len(l.convert) == 0 {
		return b
	}
	b = append(member(b, "convert"), '[')
	for i := range l.convert {
		b = appendJSON(item(b), ConvertTLV{l.convert[i].Name(), l.convert[i].Text()})
	}
	return append(b, ']')
}

// appendEvents appends the events at the packet.
func (r *renderer) appendEvents(b []byte, l *line) []byte {
	if len(l.events) == 0 {
		return b
	}
	b = append(member(b, "events"), '[')
	for i := range l.events {
		e := &l.events[i]
		x := r.event(e)
		if r.names == nil && e.packet != l.num {
			x.Packet = e.packet
		}
		b = appendJSON(item(b), x)
	}
	return append(b, ']')
}

// appendJSON appends an option or an event, which few packets have, as JSON.
func appendJSON(b []byte, v any) []byte {
	out := bytes.NewBuffer(b)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // JSON has all values of these types
	return out.Bytes()[:out.Len()-1]
}

// member appends the name of the next member of an object, behind a comma unless it is the first.
func member(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), `":`...)
}

// item begins the next item of a list: it appends a comma unless it is the first.
func item(b []byte) []byte {
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	return b
}

// appendPair appends a range as a list of two numbers.
func appendPair(b []byte, start, end int64) []byte {
	b = append(strconv.AppendInt(append(b, '['), start, 10), ',')
	return append(strconv.AppendInt(b, end, 10), ']')
}
