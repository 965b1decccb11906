package jsonreport

import (
	"reflect"
	"strconv"
	"unsafe"

	"mpanalyze/internal/jsontext"
	"mpanalyze/internal/report"
)

// A shortForm writes the short form of a connection on one line, if its report is
// short. With one line for each value, white space would be half of the text. It writes
// the fields of [report.ShortTCP] and [report.ShortConnection]; a test checks that both
// agree.
type shortForm func(b []byte, v unsafe.Pointer) (out []byte, short bool)

// shortForms are the short forms of those types that have one.
var shortForms = map[reflect.Type]shortForm{
	reflect.TypeFor[report.Connection](): shortConnection,
	reflect.TypeFor[report.TCP]():        shortTCP,
}

func shortTCP(b []byte, v unsafe.Pointer) ([]byte, bool) {
	c := (*report.TCP)(v)
	if !c.Short {
		return b, false
	}
	b = append(strconv.AppendInt(append(b, `{"id":`...), int64(c.ID), 10), `,"short":true`...)
	b = optionalText(b, "only_in", c.OnlyIn)
	b = optionalText(b, "initiator", c.Initiator)
	b = appendEnds(b, c.A, c.B)
	b = optionalText(b, "mptcp", c.MPTCP)
	b = optionalInt(b, "requested_version", c.RequestedVersion)
	b = appendSpan(b, c.Start, c.DurationS)
	if c.HandshakeRTT != nil {
		b = jsontext.AppendFloat(append(b, `,"handshake_rtt_ms":`...), *c.HandshakeRTT)
	}
	b = jsontext.AppendString(append(b, `,"state":`...), string(c.State))
	b = optionalText(b, "closed_by", c.ClosedBy)
	b = optionalBytes(b, "a2b_bytes", c.A2B)
	b = optionalBytes(b, "b2a_bytes", c.B2A)
	return append(appendShortVerdicts(b, c.Verdicts), '}'), true
}

func shortConnection(b []byte, v unsafe.Pointer) ([]byte, bool) {
	c := (*report.Connection)(v)
	if !c.Short {
		return b, false
	}
	b = append(strconv.AppendInt(append(b, `{"id":`...), int64(c.ID), 10), `,"short":true`...)
	b = optionalInt(b, "version", c.Version)
	packets := c.PacketsOnly()
	if packets > 0 && c.Checksum != nil && *c.Checksum {
		b = append(b, `,"checksum":true`...)
	}
	b = optionalText(b, "token_a", c.TokenA)
	b = optionalText(b, "token_b", c.TokenB)
	b = appendSpan(b, c.Start, c.DurationS)
	b = jsontext.AppendString(append(b, `,"state":`...), string(c.State))
	if packets > 0 {
		b = strconv.AppendInt(append(b, `,"why":"`+report.OnlyFew+`","a2b_packets":`...), packets, 10)
		if c.A2B != nil && report.Known(c.A2B.Bytes) > 0 {
			b = strconv.AppendInt(append(b, `,"a2b_bytes":`...), *c.A2B.Bytes, 10)
		}
	}
	b = append(b, `,"subflows":[`...)
	for i := range c.Subflows {
		s := &c.Subflows[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendEnds(append(b, '{'), s.A, s.B), `,"state":`...)
		b = jsontext.AppendString(b, string(s.State))
		b = append(optionalInt(b, "reason_code", c.ResetReason()), '}')
	}
	b = append(b, ']')
	return append(appendShortVerdicts(b, report.Known(c.Verdicts)), '}'), true
}

// appendEnds appends both ends, after a comma unless they begin an object.
func appendEnds(b []byte, x, y report.Endpoint) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = appendEnd(append(b, `"a":`...), x)
	return appendEnd(append(b, `,"b":`...), y)
}

func appendEnd(b []byte, e report.Endpoint) []byte {
	b = jsontext.AppendString(append(b, `{"addr":`...), e.Addr)
	return append(strconv.AppendInt(append(b, `,"port":`...), int64(e.Port), 10), '}')
}

func appendSpan(b []byte, start report.Time, seconds float64) []byte {
	b = start.Append(append(b, `,"start":"`...))
	return jsontext.AppendFloat(append(b, `","duration_s":`...), seconds)
}

func appendShortVerdicts(b []byte, all []report.Verdict) []byte {
	b = append(b, `,"verdicts":[`...)
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		v := &all[i]
		b = jsontext.AppendString(append(b, `{"code":`...), string(v.Code))
		b = jsontext.AppendString(append(b, `,"severity":`...), string(v.Severity))
		for k := range v.Evidence {
			if n := v.Evidence[k].Packet; n != nil {
				b = strconv.AppendInt(append(b, `,"packet":`...), *n, 10)
				break
			}
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendMember appends a comma and the name of the next value.
func appendMember(b []byte, name string) []byte {
	return append(append(append(b, `,"`...), name...), `":`...)
}

func optionalText[T ~string](b []byte, name string, v *T) []byte {
	if v == nil {
		return b
	}
	return jsontext.AppendString(appendMember(b, name), string(*v))
}

func optionalInt(b []byte, name string, v *int) []byte {
	if v == nil {
		return b
	}
	return strconv.AppendInt(appendMember(b, name), int64(*v), 10)
}

// optionalBytes appends how many bytes a direction carried, unless it carried none.
func optionalBytes(b []byte, name string, d *report.SubDir) []byte {
	if d == nil || report.Known(d.BytesUnique) == 0 {
		return b
	}
	return strconv.AppendInt(appendMember(b, name), *d.BytesUnique, 10)
}
