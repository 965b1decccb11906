package packets

import (
	"net/netip"
	"strconv"
	"time"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// renderer turns lines into records.
type renderer struct {
	names *names // nil without --normalise
}

// record returns the record of a line.
func (r *renderer) record(l *line) *Record {
	out := &Record{
		Kind: "tcp", Subflow: l.sub, Direction: direction(l.from), From: r.end(l.src), To: r.end(l.dst), Flags: flagNames(l.flags),
		Length: l.length, Marks: l.marks.list(), Options: r.options(l), Events: r.events(l),
	}
	if l.conn.Kind == conn.Multipath {
		out.Kind = "mptcp"
	}
	if l.conn.ID >= 0 {
		out.Connection = new(l.conn.ID)
	}
	if r.names == nil {
		out.Packet, out.Time, out.TS = l.num, clock(l.time), new(float64(l.time-l.start)/1e9)
		out.Window, out.Original = new(l.window), l.original()
		if l.hasRTT {
			out.RTT = new(float64(l.rtt) / 1e6)
		}
	}
	out.Seq = r.number(l.seq, l.isn, l.hasISN)
	if l.flags&packet.ACK != 0 {
		out.Ack = r.number(l.ack, l.peerISN, l.hasPeerISN)
	}
	r.data(l, out)
	return out
}

// data fills in the fields of the data level.
func (r *renderer) data(l *line, out *Record) {
	if !l.ssn.Empty() {
		out.SSN = &[2]int64{int64(l.ssn.Start), int64(l.ssn.End)}
	}
	for _, d := range l.dsn {
		out.DSN = append(out.DSN, [2]int64{int64(d.Start), int64(d.End)})
	}
	if m := &l.mapping; l.hasMapping {
		out.Mapping = &Mapping{DSN: int64(m.DSN), Length: m.Length, Infinite: m.Infinite, DataFIN: m.DataFIN}
		if m.SSN >= 0 {
			out.Mapping.SSN = new(int64(m.SSN))
		}
	}
	if l.hasDataAck {
		out.DataAck = new(int64(l.dataAck))
	}
	for i := range l.checks {
		c := Checksum{Verdict: checkNames[l.checks[i].Result]}
		if r.names == nil {
			c.Packet = l.checks[i].Packet
		}
		out.Checksums = append(out.Checksums, c)
	}
}

// checkNames are the names of the outcomes of a checksum.
var checkNames = [...]string{dss.CheckPending: "pending", dss.CheckValid: "valid", dss.CheckInvalid: "invalid", dss.CheckImpossible: "not_captured"}

// number returns a number of the TCP header. With --normalise it is relative to the initial
// one, and nil if that is not known.
func (r *renderer) number(n, isn seq.Wire, known bool) *int64 {
	switch {
	case r.names == nil:
		return new(int64(n))
	case known:
		return new(int64(uint32(n - isn)))
	}
	return nil
}

// end returns an endpoint as text.
func (r *renderer) end(e packet.Endpoint) string {
	addr := netip.AddrFrom16(e.Addr).Unmap()
	if r.names == nil {
		return netip.AddrPortFrom(addr, e.Port).String()
	}
	port := r.names.of("port", strconv.Itoa(int(e.Port)))
	if addr.Is6() {
		return "[" + addr.String() + "]:" + port
	}
	return addr.String() + ":" + port
}

// events returns the events of a packet.
func (r *renderer) events(l *line) (out []Event) {
	for i := range l.events {
		e := &l.events[i]
		x := r.event(e)
		if r.names == nil && e.packet != l.num {
			x.Packet = e.packet
		}
		out = append(out, x)
	}
	return out
}

// event returns an event without the number of its packet.
func (r *renderer) event(e *event) Event {
	x := Event{Kind: string(e.kind), FallbackCode: string(e.code), HMAC: verdicts[e.Authentic], Backup: truth(e.Backup), Transient: truth(e.Transient), Effective: truth(e.Effective)}
	if r.names == nil {
		x.Detail = e.detail
	}
	if e.Address.IsValid() {
		x.Address = e.Address.String()
	}
	if e.Port != 0 {
		x.Port = r.names.of("port", strconv.Itoa(int(e.Port)))
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
	out := &EventLine{Direction: direction(e.from), Event: r.event(e)}
	if r.names == nil {
		out.Packet, out.Time, out.TS = e.packet, clock(e.time), new(float64(e.time-l.start)/1e9)
	}
	if l.conn.ID >= 0 {
		out.Connection = new(l.conn.ID)
	}
	if e.sub >= 0 {
		out.Subflow = new(e.sub)
	}
	return out
}

// clock returns a time in the format of reports.
func clock(ns int64) string {
	return time.Unix(0, packet.Unix(ns)).UTC().Format("2006-01-02T15:04:05.000000000Z07:00")
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
var tcpFlags = [...]struct {
	bit  packet.Flags
	word string
}{
	{packet.SYN, "SYN"},
	{packet.FIN, "FIN"},
	{packet.RST, "RST"},
	{packet.PSH, "PSH"},
	{packet.ACK, "ACK"},
	{packet.URG, "URG"},
	{packet.ECE, "ECE"},
	{packet.CWR, "CWR"},
}

// appendFlags appends the names of the control bits that are set, with commas between them.
func appendFlags(b []byte, f packet.Flags) []byte {
	n := len(b)
	for _, x := range tcpFlags {
		if f&x.bit == 0 {
			continue
		}
		if len(b) > n {
			b = append(b, ',')
		}
		b = append(b, x.word...)
	}
	return b
}

// flagNames returns the names of the control bits that are set. There is always a list, because null is no list in JSON.
func flagNames(f packet.Flags) []string {
	names := []string{}
	for _, x := range tcpFlags {
		if f&x.bit != 0 {
			names = append(names, x.word)
		}
	}
	return names
}
