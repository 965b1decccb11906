package packets

import (
	"strconv"
	"strings"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/decimal"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// renderer turns lines into text.
type renderer struct {
	normalise bool // replace or leave out what differs from run to run
}

// checkNames are the names of the outcomes of a checksum.
var checkNames = [...]string{dss.CheckPending: "pending", dss.CheckValid: "valid", dss.CheckInvalid: "invalid", dss.CheckImpossible: "not_captured"}

// event returns an event without the number of its packet.
func (r *renderer) event(e *event) Event {
	x := Event{Kind: string(e.kind), FallbackCode: string(e.code), HMAC: verdicts[e.Authentic], Backup: truth(e.Backup), Transient: truth(e.Transient), Effective: truth(e.Effective)}
	if !r.normalise {
		x.Detail = e.detail
	}
	if e.Address.IsValid() {
		x.Address = e.Address.String()
	}
	if e.Port != 0 {
		x.Port = r.secret(strconv.Itoa(int(e.Port)))
	}
	if id, ok := e.AddressID.Value(); ok {
		x.AddressID = new(int(id))
	}
	if code, ok := e.Reason.Value(); ok {
		x.ReasonCode = new(int(code))
	}
	return x
}

// eventLine returns an event as a line of its own.
func (r *renderer) eventLine(l *line, e *event) *EventLine {
	out := &EventLine{Schema: eventSchemaName, Direction: direction(e.from), Event: r.event(e)}
	if !r.normalise {
		out.Packet, out.Time, out.TS = e.packet, report.Time(packet.Unix(e.time)).String(), new(float64(e.time-l.start)/1e9)
	}
	if l.conn.ID >= 0 {
		out.Connection = new(l.conn.ID)
	}
	if e.sub >= 0 {
		out.Subflow = new(e.sub)
	}
	return out
}

// truth returns a truth value, nil for none.
func truth(t conn.Tristate) *bool {
	if t == conn.Unset {
		return nil
	}
	return new(t == conn.Yes)
}

func direction(from conn.Side) string {
	if from == conn.B {
		return "b2a"
	}
	return "a2b"
}

// tcpFlags are the control bits in the order in which they are written.
var tcpFlags = []bit[packet.Flags]{
	{packet.SYN, "SYN"},
	{packet.FIN, "FIN"},
	{packet.RST, "RST"},
	{packet.PSH, "PSH"},
	{packet.ACK, "ACK"},
	{packet.URG, "URG"},
	{packet.ECE, "ECE"},
	{packet.CWR, "CWR"},
}

// A bit is one of a set, with its name.
type bit[T ~uint8] struct {
	of   T
	name string
}

// appendBits appends the names of the bits in a set, with commas between them.
func appendBits[T ~uint8](b []byte, set T, all []bit[T]) []byte {
	n := len(b)
	for _, x := range all {
		if set&x.of == 0 {
			continue
		}
		if len(b) > n {
			b = append(b, ',')
		}
		b = append(b, x.name...)
	}
	return b
}

// names returns the same as a list, which is not nil.
func names[T ~uint8](set T, all []bit[T]) []string {
	return append([]string{}, strings.FieldsFunc(string(appendBits(nil, set, all)), func(c rune) bool { return c == ',' })...)
}

// appendJoined appends the items of a list with commas between them.
func appendJoined[T any](b []byte, list []T, item func(b []byte, x *T) []byte) []byte {
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, &list[i])
	}
	return b
}

func appendSeconds(b []byte, ns int64) []byte { return decimal.AppendFixed(b, ns, 1e9) }
