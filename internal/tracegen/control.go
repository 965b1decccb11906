package tracegen

import (
	"time"

	"mpanalyze/internal/mptcp"
)

// capable returns the MP_CAPABLE option with the keys that have selects.
func (f *Subflow) capable(sender Dir, have mptcp.CapableParts) *mptcp.Capable {
	s := f.session
	c := &mptcp.Capable{
		Version: s.cfg.Version, Flags: mptcp.CapableHMAC, Have: have,
		SenderKey: s.keys[sender], ReceiverKey: s.keys[sender.Opposite()],
	}
	if s.cfg.Checksum {
		c.Flags |= mptcp.CapableChecksum
	}
	return c
}

// capableData returns the MP_CAPABLE option that announces a mapping.
func (f *Subflow) capableData(m *Mapping) *mptcp.Capable {
	c := f.capable(m.dir, mptcp.CapableHasSenderKey|mptcp.CapableHasReceiverKey|mptcp.CapableHasDataLen)
	c.DataLen = m.length()
	if f.session.cfg.Checksum {
		c.Have |= mptcp.CapableHasDataSum
		c.Checksum = m.checksum()
	}
	return c
}

// join returns one form of MP_JOIN, with a valid HMAC.
func (f *Subflow) join(sender Dir, form mptcp.JoinForm) *mptcp.Join {
	s, own, peer := f.session, sender, sender.Opposite()
	mac := mptcp.JoinHMAC(s.cfg.Version, s.keys[own], s.keys[peer], f.path.Nonce[own], f.path.Nonce[peer])
	return &mptcp.Join{
		Form: form, Backup: f.path.Backup, AddressID: f.path.ID[own],
		Token: s.Token(peer), Nonce: f.path.Nonce[own],
		TruncHMAC: mac.Left64(), HMAC: mac.Left160(),
	}
}

// SYN scripts the first packet of the subflow's handshake.
func (f *Subflow) SYN(at time.Duration) *Sent {
	d := f.opener()
	var o Option = f.join(d, mptcp.JoinSYN)
	if f.first {
		have := mptcp.CapableHasSenderKey // in the SYN of version 0 only
		if f.session.cfg.Version > 0 {
			have = 0
		}
		o = f.capable(d, have)
	}
	return f.script(Sent{dir: d, at: at, flags: SYN, options: []Option{o}})
}

// SYNACK scripts the answer to the SYN.
func (f *Subflow) SYNACK(at time.Duration) *Sent {
	d := f.opener().Opposite()
	var o Option = f.join(d, mptcp.JoinSYNACK)
	if f.first {
		o = f.capable(d, mptcp.CapableHasSenderKey)
	}
	return f.script(Sent{dir: d, at: at, flags: SYN | ACK, options: []Option{o}})
}

// ThirdACK scripts the third packet of a handshake.
func (f *Subflow) ThirdACK(at time.Duration) *Sent {
	d := f.opener()
	var o Option = f.join(d, mptcp.JoinACK)
	if f.first {
		o = f.capable(d, mptcp.CapableHasSenderKey|mptcp.CapableHasReceiverKey)
	}
	return f.script(Sent{dir: d, at: at, flags: ACK, ssn: 1, options: []Option{o}, noDSS: true})
}

// Handshake has the packets that open a subflow. Fourth confirms a join (RFC 8684, Section
// 3.2); it is nil on the initial subflow.
type Handshake struct{ SYN, SYNACK, ACK, Fourth *Sent }

// Open scripts a whole handshake. Each packet is sent when the one before it has arrived.
// Where one of them is lost or late, script them one by one.
func (f *Subflow) Open(at time.Duration) (h Handshake) {
	h.SYN = f.SYN(at)
	h.SYNACK = f.SYNACK(h.SYN.ArrivesAt())
	h.ACK = f.ThirdACK(h.SYNACK.ArrivesAt())
	if !f.first {
		h.Fourth = f.Ack(f.opener().Opposite(), h.ACK.ArrivesAt())
	}
	return h
}

// Established returns when both hosts consider the subflow established.
func (h *Handshake) Established() time.Duration {
	if h.Fourth != nil {
		return h.Fourth.ArrivesAt()
	}
	return h.ACK.ArrivesAt()
}

// Ack scripts a pure ACK in direction d. It acknowledges what has arrived when it is sent,
// on the subflow and in the data sequence space. It has SACK blocks for data above a gap,
// and a DSACK block for data that arrived again.
func (f *Subflow) Ack(d Dir, at time.Duration) *Sent {
	return f.script(Sent{dir: d, at: at, flags: ACK, ssn: current})
}

// Signal scripts a pure ACK with options besides DSS: ADD_ADDR, REMOVE_ADDR,
// MP_PRIO, MP_FAIL, MP_FASTCLOSE. DSS is left out where there is no room, and then the TCP timestamps: ADD_ADDR
// with an IPv6 address and a port has 30 bytes (Linux 7.2: net.mptcp.add_addr_v6_port_drop_ts).
func (f *Subflow) Signal(d Dir, at time.Duration, options ...Option) *Sent {
	size := 0
	for _, o := range options {
		size += len(o.Append(nil))
	}
	room, dss := maxOptions-len(AppendTimestamps(nil, 0, 0)), len((&mptcp.DSS{Flags: mptcp.DSSAck | mptcp.DSSAck8}).Append(nil))
	return f.script(Sent{dir: d, at: at, flags: ACK, ssn: current, options: options, noDSS: size+dss > room, noStamp: size > room})
}

// AddAddr returns the ADD_ADDR option of the host that sends in direction d: a copy of a
// with the session's version and, in version 1, a valid HMAC.
func (s *Session) AddAddr(d Dir, a mptcp.AddAddr) *mptcp.AddAddr {
	a.Version = s.cfg.Version
	if a.HasHMAC() {
		a.HMAC = mptcp.AddAddrHMAC(s.keys[d], s.keys[d.Opposite()], &a)
	}
	return &a
}

// FIN scripts the end of one direction of the subflow.
func (f *Subflow) FIN(d Dir, at time.Duration) *Sent {
	x := Sent{dir: d, at: at, flags: FIN | ACK, ssn: f.half[d].next}
	f.half[d].next++
	return f.script(x)
}

// RST scripts a reset of the subflow. Version 1 may add MP_TCPRST as an option.
func (f *Subflow) RST(d Dir, at time.Duration, options ...Option) *Sent {
	return f.script(Sent{dir: d, at: at, flags: RST | ACK, ssn: current, options: options, noDSS: true})
}

// Fastclose scripts an abort of the connection (RFC 6824 and RFC 8684, Section 3.5) as
// Linux sends it: in version 0 on an ACK, in version 1 on a RST.
func (f *Subflow) Fastclose(d Dir, at time.Duration) *Sent {
	o := &mptcp.Fastclose{ReceiverKey: f.session.Key(d.Opposite())}
	if f.session.cfg.Version > 0 {
		return f.RST(d, at, o)
	}
	return f.Signal(d, at, o)
}

// Close scripts the orderly end of the session from a time on. lengthA and lengthB are the
// bytes that each direction has carried. Both hosts send DATA_FIN on the first subflow,
// then FIN on every subflow. It returns the time when all of this has arrived.
func (s *Session) Close(at time.Duration, lengthA, lengthB int64) time.Duration {
	first := s.subflows[0]
	if !s.cfg.Plain {
		fin := first.DataFIN(A2B, at, lengthA)
		back := first.DataFIN(B2A, fin.ArrivesAt(), lengthB)
		first.Ack(A2B, back.ArrivesAt())
		at = back.ArrivesAt()
	}
	end := at
	for _, f := range s.subflows {
		fin := f.FIN(A2B, at)
		back := f.FIN(B2A, fin.ArrivesAt())
		if s.cfg.AckEvery == 0 {
			f.Ack(A2B, back.ArrivesAt())
		}
		end = max(end, back.ArrivesAt()+f.path.Delay[A2B])
	}
	return end
}

// kindFastOpen is the TCP Fast Open option (RFC 7413, Section 4.1.1).
const kindFastOpen = 34

// FastOpen scripts a SYN with the TCP Fast Open option and n bytes of data. An empty cookie
// requests a cookie. The data is before offset 0 of the application stream, from -n on,
// because it has no DSN (RFC 8684, Appendix B.2).
func (f *Subflow) FastOpen(at time.Duration, cookie []byte, n int) *Sent {
	x := f.SYN(at)
	x.cookie, x.n = append([]byte{}, cookie...), n
	f.half[x.dir].next += x.span().End - 1
	f.syn = n
	return x
}

// GiveCookie makes a SYN/ACK carry a TCP Fast Open cookie.
func (x *Sent) GiveCookie(cookie []byte) *Sent { x.cookie = cookie; return x }

// Decline makes the responder accept the SYN without its data; the data has to be sent
// again.
func (x *Sent) Decline() *Sent {
	x.declined = true
	x.sub.half[x.dir].next = 1
	x.sub.syn = 0
	return x
}

// appendFastOpen appends the option.
func appendFastOpen(b, cookie []byte) []byte {
	b = append(b, kindFastOpen, uint8(2+len(cookie)))
	return append(b, cookie...)
}
