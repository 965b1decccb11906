package decode

// Outcome says how the decoding of a raw packet ended.
type Outcome uint8

// The outcomes. Only after TCP, Duplicate and ICMP does the segment hold anything.
const (
	TCP       Outcome = iota // the segment is valid
	NotIP                    // no IP packet inside, or a link type that is not known
	NotTCP                   // an IP packet that carries no TCP, as far as it was opened
	Fragment                 // a fragment of a datagram that is not complete yet, or never will be
	Malformed                // a header contradicts itself or the packet's length
	Duplicate                // a second copy of a packet at another interface or in the other direction
	Cut                      // too little was captured to know the TCP header
	ICMP                     // the segment is one that an ICMP message quotes
	numOutcomes
)

// String returns the outcome as the report spells it.
func (o Outcome) String() string {
	return [...]string{"tcp", "not_ip", "not_tcp", "fragment", "malformed", "duplicate", "cut", "icmp"}[o]
}

// Anomaly is a fact about a packet that a reader of the report may want to know. It does not
// depend on the outcome.
type Anomaly uint8

// The anomalies.
const (
	// UnknownLink is a link type that this package does not decode.
	UnknownLink Anomaly = iota
	// LengthBeyondFrame is an IP length that exceeds the frame around it. The decoder uses the
	// IP length.
	LengthBeyondFrame
	// LengthFromFrame is an IP length of 0: a super-segment before the
	// network card cuts it (TSO, BIG TCP). The decoder uses the frame's length.
	LengthFromFrame
	// DatagramIncomplete is a fragmented datagram given up after
	// 30 seconds or to stay within the memory for fragments; the packet is
	// its first fragment that was seen.
	DatagramIncomplete
	// FragmentsContradict is a fragment that overlaps another or does not
	// fit the end of its datagram.
	FragmentsContradict
	// TooManyTunnels is a packet nested deeper than this package follows.
	TooManyTunnels
	// OptionsCut is a TCP header whose options the snapshot length cut. The captured options
	// are decoded.
	OptionsCut
	numAnomalies
)

// String returns the anomaly as a code for the report's warnings.
func (a Anomaly) String() string {
	return [...]string{
		"unknown_link_type", "ip_length_beyond_frame", "ip_length_zero",
		"datagram_incomplete", "fragments_contradict", "too_many_tunnels", "options_cut",
	}[a]
}

// A Tally counts packets of one kind.
type Tally struct {
	Count uint64 // packets
	First uint64 // number of the first packet of the kind, 0 if there is none
}

// add counts packet num.
func (t *Tally) add(num uint64) {
	if t.Count == 0 {
		t.First = num
	}
	t.Count++
}

// Counts counts the outcomes and anomalies of all packets so far. Each packet has one outcome
// and any number of anomalies.
type Counts struct {
	outcomes  [numOutcomes]Tally
	anomalies [numAnomalies]Tally
}

// Outcome returns the tally of packets with outcome o.
func (c *Counts) Outcome(o Outcome) Tally { return c.outcomes[o] }

// Anomaly returns the tally of packets with anomaly a.
func (c *Counts) Anomaly(a Anomaly) Tally { return c.anomalies[a] }

// Anomalies returns all anomalies in their order.
func Anomalies() []Anomaly {
	return []Anomaly{UnknownLink, LengthBeyondFrame, LengthFromFrame, DatagramIncomplete, FragmentsContradict, TooManyTunnels, OptionsCut}
}
