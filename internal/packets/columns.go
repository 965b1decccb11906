package packets

import (
	"strconv"
	"strings"

	"mpanalyze/internal/packet"
)

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

func appendSeconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1e9, 10)
	n := len(b)
	b = strconv.AppendInt(b, 1e9+ns%1e9, 10) // the 1 keeps the zeros in front
	b[n] = '.'
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
