package packets

import (
	"strconv"

	"mpanalyze/internal/jsontext"
)

// append appends an option as JSON.
func (o *Option) append(b []byte) []byte {
	b = jsontext.AppendString(member(append(b, '{'), "subtype"), o.Subtype)
	b = textMember(b, "error", o.Error)
	b = textMember(b, "raw", o.Raw)
	b = numberMember(b, "version", o.Version)
	if o.Flags != nil {
		b = jsontext.AppendString(member(b, "flags"), *o.Flags)
	}
	b = textMember(b, "sender_key", o.SenderKey)
	b = textMember(b, "sender_token", o.SenderToken)
	b = textMember(b, "receiver_key", o.ReceiverKey)
	b = textMember(b, "token", o.Token)
	b = textMember(b, "nonce", o.Nonce)
	b = numberMember(b, "address_id", o.AddressID)
	if len(o.AddressIDs) > 0 {
		b = append(member(b, "address_ids"), '[')
		for _, id := range o.AddressIDs {
			b = strconv.AppendInt(item(b), int64(id), 10)
		}
		b = append(b, ']')
	}
	b = textMember(b, "address", o.Address)
	b = textMember(b, "port", o.Port)
	b = textMember(b, "hmac", o.HMAC)
	b = textMember(b, "hmac_verdict", o.HMACVerdict)
	b = numberMember(b, "data_ack", o.DataAck)
	b = numberMember(b, "dsn", o.DSN)
	b = numberMember(b, "ssn", o.SSN)
	b = numberMember(b, "data_length", o.DataLength)
	b = textMember(b, "checksum", o.Checksum)
	b = numberMember(b, "reason_code", o.ReasonCode)
	return append(textMember(b, "reason", o.Reason), '}')
}

// append appends the line of an event as JSON.
func (e *EventLine) append(b []byte) []byte {
	b = append(b, '{')
	if e.Packet != 0 {
		b = strconv.AppendUint(member(b, "packet"), e.Packet, 10)
	}
	b = textMember(b, "time", e.Time)
	if e.TS != nil {
		b = jsontext.AppendFloat(member(b, "t_s"), *e.TS)
	}
	b = numberMember(b, "connection", e.Connection)
	b = numberMember(b, "subflow", e.Subflow)
	b = jsontext.AppendString(member(b, "direction"), e.Direction)
	return append(e.Event.appendMembers(b), "}\n"...)
}

// appendMembers appends the members of an event. The packet of an [EventLine] is that of the line:
// the event has none.
func (e *Event) appendMembers(b []byte) []byte {
	b = jsontext.AppendString(member(b, "kind"), e.Kind)
	if e.Packet != 0 {
		b = strconv.AppendUint(member(b, "packet"), e.Packet, 10)
	}
	b = textMember(b, "detail", e.Detail)
	b = textMember(b, "fallback_code", e.FallbackCode)
	b = textMember(b, "address", e.Address)
	b = textMember(b, "port", e.Port)
	b = numberMember(b, "address_id", e.AddressID)
	b = numberMember(b, "reason_code", e.ReasonCode)
	b = textMember(b, "hmac", e.HMAC)
	b = truthMember(b, "backup", e.Backup)
	b = truthMember(b, "transient", e.Transient)
	return truthMember(b, "effective", e.Effective)
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

// textMember appends a text unless it is empty.
func textMember(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return jsontext.AppendString(member(b, name), text)
}

// numberMember appends a number unless there is none.
func numberMember[T int | uint32 | uint64](b []byte, name string, v *T) []byte {
	if v == nil {
		return b
	}
	return strconv.AppendUint(member(b, name), uint64(*v), 10)
}

// truthMember appends a truth value unless there is none.
func truthMember(b []byte, name string, v *bool) []byte {
	if v == nil {
		return b
	}
	return strconv.AppendBool(member(b, name), *v)
}
