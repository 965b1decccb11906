package packets

import (
	"strconv"
	"strings"

	"mpanalyze/internal/packet"
)

// header names the columns.
const header = "packet\ttime\tt_s\tkind\tid\tsubflow\tfrom\tto\tflags\tseq\tack\twindow\tlength\tssn\tdsn\tmapping\tmark\tdata_ack\trtt_ms\toriginal\tchecksums\tevents\toptions\n"

// appendColumns appends a record as columns, with "-" for what is not known. Times come
// from the line, which has them to the nanosecond.
func appendColumns(b []byte, l *line, x *Record) []byte {
	if x.Packet == 0 {
		b = append(b, "-\t-\t-"...)
	} else {
		b = strconv.AppendUint(b, x.Packet, 10)
		b = appendSeconds(append(b, '\t'), packet.Unix(l.time))
		b = appendSeconds(append(b, '\t'), l.time-l.start)
	}
	b = append(append(b, '\t'), x.Kind...)
	b = appendOptional(append(b, '\t'), x.Connection)
	b = strconv.AppendInt(append(b, '\t'), int64(x.Subflow), 10)
	b = append(append(b, '\t'), x.From...)
	b = append(append(b, '\t'), x.To...)
	b = appendList(append(b, '\t'), x.Flags)
	b = appendOptional(append(b, '\t'), x.Seq)
	b = appendOptional(append(b, '\t'), x.Ack)
	b = appendOptional(append(b, '\t'), x.Window)
	b = strconv.AppendUint(append(b, '\t'), uint64(x.Length), 10)
	if b = append(b, '\t'); x.SSN != nil {
		b = appendRange(b, *x.SSN)
	} else {
		b = append(b, '-')
	}
	b = appendDSN(append(b, '\t'), x.DSN)
	b = appendMapping(append(b, '\t'), x.Mapping)
	b = appendList(append(b, '\t'), x.Marks)
	b = appendOptional(append(b, '\t'), x.DataAck)
	if b = append(b, '\t'); x.RTT != nil {
		b = strconv.AppendFloat(b, *x.RTT, 'f', 3, 64)
	} else {
		b = append(b, '-')
	}
	b = appendNumbers(append(b, '\t'), x.Original)
	b = appendChecksums(append(b, '\t'), x.Checksums)
	b = appendEvents(append(b, '\t'), x.Events)
	b = appendOptions(append(b, '\t'), x.Options)
	return append(b, '\n')
}

// eventHeader names the columns of lines with one event each.
const eventHeader = "packet\ttime\tt_s\tid\tsubflow\tdirection\tevent\tdetail\n"

// appendEventColumns appends the line of an event as columns. at and since are the time of
// the event, and how long after the start of the connection it was, ns.
func appendEventColumns(b []byte, at, since int64, x *EventLine) []byte {
	if x.Packet == 0 {
		b = append(b, "-\t-\t-"...)
	} else {
		b = strconv.AppendUint(b, x.Packet, 10)
		b = appendSeconds(append(b, '\t'), packet.Unix(at))
		b = appendSeconds(append(b, '\t'), since)
	}
	b = appendOptional(append(b, '\t'), x.Connection)
	b = appendOptional(append(b, '\t'), x.Subflow)
	b = append(append(b, '\t'), x.Direction...)
	b = append(append(b, '\t'), x.Kind...)
	if b = append(b, '\t'); x.Detail != "" {
		b = append(b, x.Detail...)
	} else {
		b = append(b, x.facts()...)
	}
	return append(b, '\n')
}

// facts returns the details of an event as name=value pairs, "-" for none.
func (e *Event) facts() string {
	var w []string
	add := func(name, value string) {
		if value != "" {
			w = append(w, name+"="+value)
		}
	}
	add("fallback_code", e.FallbackCode)
	add("address", e.Address)
	add("port", e.Port)
	for _, n := range [...]struct {
		name  string
		value *int
	}{{"address_id", e.AddressID}, {"reason_code", e.ReasonCode}} {
		if n.value != nil {
			add(n.name, strconv.Itoa(*n.value))
		}
	}
	add("hmac", e.HMAC)
	for _, n := range [...]struct {
		name  string
		value *bool
	}{{"backup", e.Backup}, {"transient", e.Transient}, {"effective", e.Effective}} {
		if n.value != nil {
			add(n.name, strconv.FormatBool(*n.value))
		}
	}
	return string(appendList(nil, w))
}

// appendOptional appends a number, "-" for none.
func appendOptional[T int | int64 | uint16](b []byte, v *T) []byte {
	if v == nil {
		return append(b, '-')
	}
	return strconv.AppendInt(b, int64(*v), 10)
}

// appendList appends words with commas between them, "-" for none.
func appendList(b []byte, words []string) []byte {
	if len(words) == 0 {
		return append(b, '-')
	}
	for i, w := range words {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, w...)
	}
	return b
}

func appendNumbers(b []byte, list []uint64) []byte {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.FormatUint(n, 10)
	}
	return appendList(b, words)
}

func appendSeconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1e9, 10)
	b = append(b, '.')
	ns %= 1e9
	for unit := int64(1e8); unit > 0; unit /= 10 {
		b = append(b, byte('0'+ns/unit%10))
	}
	return b
}

func appendRange(b []byte, r [2]int64) []byte {
	b = strconv.AppendInt(b, r[0], 10)
	return strconv.AppendInt(append(b, ':'), r[1], 10)
}

// appendDSN appends the data sequence numbers of the payload, one range for each contiguous
// part.
func appendDSN(b []byte, list [][2]int64) []byte {
	if len(list) == 0 {
		return append(b, '-')
	}
	for i, r := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendRange(b, r)
	}
	return b
}

// appendMapping appends a mapping: data sequence numbers, then @ and the subflow
// sequence number at which they begin.
func appendMapping(b []byte, m *Mapping) []byte {
	switch {
	case m == nil:
		return append(b, '-')
	case m.Infinite:
		b = strconv.AppendInt(b, m.DSN, 10)
		b = append(b, ":infinite"...)
	default:
		b = appendRange(b, [2]int64{m.DSN, m.DSN + m.Length})
	}
	if m.SSN == nil {
		return append(b, "@-1"...)
	}
	return strconv.AppendInt(append(b, '@'), *m.SSN, 10)
}

// appendChecksums appends verdicts, each behind the number of the packet that announced the
// mapping, as in 5:valid.
func appendChecksums(b []byte, list []Checksum) []byte {
	words := make([]string, len(list))
	for i, c := range list {
		if words[i] = c.Verdict; c.Packet > 0 {
			words[i] = strconv.FormatUint(c.Packet, 10) + ":" + c.Verdict
		}
	}
	return appendList(b, words)
}

func appendEvents(b []byte, list []Event) []byte {
	words := make([]string, len(list))
	for i := range list {
		words[i] = list[i].Kind
	}
	return appendList(b, words)
}

// appendOptions appends options with semicolons between them: the subtype, then
// key=value pairs with blanks between them.
func appendOptions(b []byte, list []Option) []byte {
	if len(list) == 0 {
		return append(b, '-')
	}
	for i := range list {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = append(b, list[i].text()...)
	}
	return b
}

// text returns an option in short form: it has only the first 8 digits of keys and HMACs.
func (o *Option) text() string {
	w := []string{strings.ReplaceAll(o.Subtype, " ", "_")}
	add := func(name, value string) {
		if value != "" {
			w = append(w, name+"="+value)
		}
	}
	if o.Version != nil {
		add("v", strconv.Itoa(*o.Version))
	}
	if o.Flags != nil {
		add("flags", *o.Flags)
	}
	add("key", short(o.SenderKey))
	add("sender_token", o.SenderToken)
	add("peer_key", short(o.ReceiverKey))
	add("token", o.Token)
	addNumber(&w, "id", o.AddressID)
	for _, id := range o.AddressIDs {
		add("id", strconv.Itoa(id))
	}
	add("addr", o.Address)
	add("port", o.Port)
	add("nonce", o.Nonce)
	add("hmac", short(o.HMAC))
	add("hmac_verdict", o.HMACVerdict)
	addNumber(&w, "ack", o.DataAck)
	addNumber(&w, "dsn", o.DSN)
	addNumber(&w, "ssn", o.SSN)
	addNumber(&w, "len", o.DataLength)
	add("checksum", o.Checksum)
	addNumber(&w, "reason", o.ReasonCode)
	if o.Error != "" {
		w = append(w, "malformed")
	}
	add("raw", o.Raw)
	return strings.Join(w, " ")
}

// addNumber adds name=value unless there is no value.
func addNumber[T int | uint32 | uint64](w *[]string, name string, v *T) {
	if v != nil {
		*w = append(*w, name+"="+strconv.FormatUint(uint64(*v), 10))
	}
}

// short returns the first 8 digits of a long hexadecimal number, and two dots.
func short(digits string) string {
	if len(digits) <= 8 {
		return digits
	}
	return digits[:8] + ".."
}
