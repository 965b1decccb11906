package hosts

import (
	"fmt"
	"net/netip"
)

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
	values [numFields]float64
}

// Field is a number that ss prints of a socket, in the unit in which ss prints it; rates in bit/s.
type Field uint8

// numFields is how many fields fields.txt has, and one more for the numbers that nobody asks for.
const (
	numFields = 40
	unread    = Field(numFields - 1)
)

// The fields that code asks for by name.
var (
	RTO           = FieldOf("rto")
	RTT           = FieldOf("rtt")
	MSS           = FieldOf("mss")
	Cwnd          = FieldOf("cwnd")
	BytesSent     = FieldOf("bytes_sent")
	BytesAcked    = FieldOf("bytes_acked")
	BytesReceived = FieldOf("bytes_received")
	DataSegsOut   = FieldOf("data_segs_out")
	SubflowsMax   = FieldOf("subflows_max")
	Fallback      = FieldOf("fallback")       // 1 if the word is printed
	WriteSeq      = FieldOf("write_seq")      // 1 if a data sequence number is printed
	Unacked       = FieldOf("unacknowledged") // write_seq - snd_una
	RecvQ         = FieldOf("Recv-Q")
	SendQ         = FieldOf("Send-Q")
)

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

// raise enters the fields of other values that are larger, or that there are not.
func (v *Values) raise(o *Values) {
	v.has |= o.has
	for f, n := range o.values {
		v.values[f] = max(v.values[f], n)
	}
}

// Info reports whether the row has what TCP, or Multipath TCP, says about the socket. A
// socket in TIME-WAIT has none.
func (r *Row) Info() bool {
	if r.MPTCP {
		return r.HasToken || r.Has(WriteSeq)
	}
	return r.Has(Cwnd) || r.Has(RTO)
}

// TokenText returns a token in the form of reports.
func TokenText(token uint32) string { return fmt.Sprintf("0x%08x", token) }

// Listening reports whether the socket waits for connections.
func (r *Row) Listening() bool { return r.State == "LISTEN" }

// reset prepares the row for another socket.
func (r *Row) reset() { *r = Row{Ref: Ref{File: r.File}, LocalID: -1, RemoteID: -1} }
