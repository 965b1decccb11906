package packets

import (
	"cmp"
	"strconv"
	"strings"

	"mpanalyze/internal/decimal"
	"mpanalyze/internal/packet"
)

// eventHeader names the columns of lines with one event each.
const eventHeader = "packet\ttime\tt_s\tid\tsubflow\tdirection\tevent\tdetail\n"

// LineColumns and EventColumns are the columns of the two forms by importance, for [textwrap.NewColumns].
const (
	LineColumns  = "packet:6 t_s:12 id:2 subflow from:21 length dsn:16 flags:7 mark:14 events:12 data_ack:9 rtt_ms:7 to:21 options:24 original:8 ssn:16 mapping:24 window seq:10 ack:10 checksums time:20 kind:5"
	EventColumns = "packet:6 t_s:12 id:2 subflow event:16 direction detail:18 time:20"
)

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

// pairs are name=value pairs.
type pairs []string

// add adds a pair unless there is no value.
func (p *pairs) add(name, value string) {
	if value != "" {
		*p = append(*p, name+"="+value)
	}
}

// addNumber does the same for a number.
func addNumber[T int | uint32 | uint64](p *pairs, name string, v *T) {
	if v != nil {
		p.add(name, strconv.FormatUint(uint64(*v), 10))
	}
}

// facts returns the details of an event as pairs, "-" for none.
func (e *Event) facts() string {
	var w pairs
	w.add("fallback_code", e.FallbackCode)
	w.add("address", e.Address)
	w.add("port", e.Port)
	addNumber(&w, "address_id", e.AddressID)
	addNumber(&w, "reason_code", e.ReasonCode)
	w.add("hmac", e.HMAC)
	for _, n := range [...]struct {
		name  string
		value *bool
	}{{"backup", e.Backup}, {"transient", e.Transient}, {"effective", e.Effective}} {
		if n.value != nil {
			w.add(n.name, strconv.FormatBool(*n.value))
		}
	}
	return cmp.Or(strings.Join(w, ","), "-")
}

// appendOptional appends a number, "-" for none.
func appendOptional[T int | int64 | uint16](b []byte, v *T) []byte {
	if v == nil {
		return append(b, '-')
	}
	return strconv.AppendInt(b, int64(*v), 10)
}

func appendSeconds(b []byte, ns int64) []byte { return decimal.AppendFixed(b, ns, 1e9) }

// text returns an option other than a DSS in short form: it has only the first 8 digits of keys and HMACs.
func (o *Option) text() string {
	w := pairs{strings.ReplaceAll(o.Subtype, " ", "_")}
	addNumber(&w, "v", o.Version)
	if o.Flags != nil {
		w.add("flags", *o.Flags)
	}
	w.add("key", short(o.SenderKey))
	w.add("sender_token", o.SenderToken)
	w.add("peer_key", short(o.ReceiverKey))
	w.add("token", o.Token)
	addNumber(&w, "id", o.AddressID)
	for _, id := range o.AddressIDs {
		addNumber(&w, "id", &id)
	}
	w.add("addr", o.Address)
	w.add("port", o.Port)
	w.add("nonce", o.Nonce)
	w.add("hmac", short(o.HMAC))
	w.add("hmac_verdict", o.HMACVerdict)
	addNumber(&w, "dsn", o.DSN)
	addNumber(&w, "len", o.DataLength)
	w.add("checksum", o.Checksum)
	addNumber(&w, "reason", o.ReasonCode)
	if o.Error != "" {
		w = append(w, "malformed")
	}
	w.add("raw", o.Raw)
	return strings.Join(w, " ")
}

// short returns the first 8 digits of a long hexadecimal number, and two dots.
func short(digits string) string {
	if len(digits) <= 8 {
		return digits
	}
	return digits[:8] + ".."
}
