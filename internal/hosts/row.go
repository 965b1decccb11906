package hosts

import "net/netip"

// Row is one socket in one sample of ss.
type Row struct {
	Ref           // the line at which it begins
	Stamp   int64 // ns since the Unix epoch; NoStamp if the file has none
	MPTCP   bool  // a socket of Multipath TCP; else one of TCP
	ULP     bool  // a TCP socket that is a subflow
	State   string
	Local   netip.AddrPort
	Peer    netip.AddrPort
	Inode   int64  // 0 if it is not printed, or the socket is closed
	Control string // congestion control; empty if it is not printed

	LocalToken        uint32 // of a subflow, the one it belongs to
	HasToken          bool   // LocalToken is printed
	LocalID, RemoteID int    // address ids of a subflow; -1 if they are not printed

	Values
}

// Values are the fields that a row has.
type Values struct {
	has    uint64
	values [NumFields]float64
}

// Field is a number that ss prints of a socket.
type Field uint8

// The fields, in the unit that ss prints; rates in bit/s.
const (
	RTO Field = iota
	RTT
	RTTVar
	MSS
	Cwnd
	Ssthresh
	BytesSent
	BytesAcked
	BytesReceived
	BytesRetrans
	DataSegsOut
	PacingRate
	DeliveryRate
	Busy
	RwndLimited
	SndbufLimited
	UnackedSegments
	RetransNow
	RetransTotal
	Lost
	Backoff
	NotSent
	RcvSpace
	RcvSsthresh
	MinRTT
	SndWnd
	MemRB
	MemTB
	MemW
	SubflowsMax
	AddAddrAcceptedMax
	Retransmits
	SubflowsTotal
	AppLimited // 1 if the word is printed, as those below
	Fallback
	WriteSeq
	Unacked // write_seq - snd_una
	RecvQ
	SendQ
	unread // a number that nobody asks for
	NumFields
)

const _ = uint(64 - NumFields) // the fields of a row are a set of 64 bits

// Has reports whether the row has a field.
func (v *Values) Has(f Field) bool { return v.has&(1<<f) != 0 }

// Value returns the value of a field, 0 if the row does not have it.
func (v *Values) Value(f Field) float64 {
	if !v.Has(f) {
		return 0
	}
	return v.values[f]
}

// set enters the value of a field.
func (v *Values) set(f Field, value float64) {
	v.has |= 1 << f
	v.values[f] = value
}

// Info reports whether the row has what TCP, or Multipath TCP, says about the socket. A
// socket in TIME-WAIT has none.
func (r *Row) Info() bool {
	if r.MPTCP {
		return r.HasToken || r.Has(WriteSeq)
	}
	return r.Has(Cwnd) || r.Has(RTO)
}

// Listening reports whether the socket waits for connections.
func (r *Row) Listening() bool { return r.State == "LISTEN" }

// reset prepares the row for another socket. It leaves the values of fields, which nobody
// reads that the row does not have.
func (r *Row) reset() {
	r.MPTCP, r.ULP, r.State, r.Inode, r.Control = false, false, "", 0, ""
	r.LocalToken, r.HasToken, r.LocalID, r.RemoteID = 0, false, -1, -1
	r.has = 0
}
