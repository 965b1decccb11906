package conn

import (
	"slices"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// Vantage is where a capture was taken.
type Vantage uint8

// The vantage points.
const (
	Unknown Vantage = iota
	AtA
	AtB
	Middle
)

// String returns the name that reports use.
func (v Vantage) String() string { return [...]string{"unknown", "a", "b", "middle"}[v] }

// minHandshake is in ns. The two halves of a shorter handshake prove nothing, because
// the hosts' own delays are about as long.
const minHandshake = 1e6

// vantage collects what tells where the capture was taken.
type vantage struct {
	forced   Vantage
	outgoing [2]bool   // a packet was marked as outgoing by the cooked header, by sender
	incoming [2]bool   // a packet was marked as incoming
	shares   []float64 // by handshake, sorted: the part of its time between A's packets and B's answers; bounded by maxShares

	// The result is kept because rows of tables need it for each chunk. why is empty
	// until there is one.
	at  Vantage
	why string
}

const maxShares = 256

// sawCooked notes the direction that the Linux cooked header of a packet gives.
func (v *vantage) sawCooked(s *packet.Segment, from Side) {
	seen := &v.incoming[from]
	if s.Have&packet.Outgoing != 0 {
		seen = &v.outgoing[from]
	}
	if !*seen {
		*seen = true
		v.at, v.why = v.conclude()
	}
}

// sawHandshake notes the halves of a subflow's handshake.
func (v *vantage) sawHandshake(f *subflow.Flow) {
	syn, ack, ok := f.HandshakeHalves()
	if !ok || syn+ack < minHandshake || len(v.shares) >= maxShares {
		return
	}
	share := float64(syn) / float64(syn+ack)
	if f.Initiator == B {
		share = 1 - share
	}
	at, _ := slices.BinarySearch(v.shares, share)
	v.shares = slices.Insert(v.shares, at, share)
	v.at, v.why = v.conclude()
}

// Vantage returns where the capture was taken, as far as the connection shows it so
// far, and the reason.
func (c *Conn) Vantage() (Vantage, string) {
	if v := &c.vantage; v.why != "" {
		return v.at, v.why
	}
	return c.vantage.conclude()
}

func (v *vantage) conclude() (Vantage, string) {
	if v.forced != Unknown {
		return v.forced, "given"
	}
	switch out, in := v.outgoing, v.incoming; {
	case out[A] && !out[B]:
		return AtA, "packets of A are marked as sent by the capturing host"
	case out[B] && !out[A]:
		return AtB, "packets of B are marked as sent by the capturing host"
	case !out[A] && !out[B] && in[A] && in[B]:
		return Middle, "packets of both ends are marked as received"
	}
	if len(v.shares) == 0 {
		return Unknown, "no handshake of at least 1 ms was captured whole, and the link layer does not tell"
	}
	switch m := median(v.shares); {
	case m > 0.75:
		return AtA, "the handshakes' round trips lie beyond B's side of the capture point"
	case m < 0.25:
		return AtB, "the handshakes' round trips lie beyond A's side of the capture point"
	}
	return Middle, "the handshakes' round trips lie on both sides of the capture point"
}

// median returns the median of s, which is sorted and not empty.
func median(s []float64) float64 {
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
