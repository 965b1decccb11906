package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// defaultMSS is the segment size assumed where no SYN told the peer's: an
// Ethernet frame's worth of IPv4 (RFC 9293, Section 3.7.1 would say 536, which
// no path of today uses).
const defaultMSS = 1460

// farAway is how far a sequence number may lie from the stream's end before
// the packet is taken for a stray: no window is wider (RFC 7323, Section 2.3).
const farAway = 1 << 30

// Sender is one direction of a subflow: what one end sends, and what the other
// end's acknowledgments say of it.
type Sender struct {
	// What every packet of either end needs stands together at the front, as
	// do the counters that a usual one moves: in two lines of the cache.
	isn       seq.Wire
	window    uint32  // latest advertised, not scaled: see offered; 0 before any
	nxt       seq.SSN // end of what was sent (SND.NXT)
	una       seq.SSN // everything below was acknowledged (SND.UNA)
	latest    int64   // time of the previous packet, ns
	unit      int64   // octets of the segment unit of the latest packet with payload
	lastTSEcr uint32  // greatest TSecr on payload of this direction
	mss       uint16  // what the other end accepts; 0 = not told
	options   uint8   // octets of TCP options that unit is for, and 1; 0 = the next payload is to be looked at
	hasTSEcr  bool
	open      bool // isn is known, from a SYN or from the first packet
	syn       bool // isn comes from a SYN: SSNs are the real ones
	finSeen   bool
	hasTS     bool
	hasWScale bool
	sackOK    bool
	sackless  bool   // the other end's SYN did not offer SACK
	wscale    uint8  // what this end's windows are to be shifted by
	sackID    uint16 // IP identification of the packet that sackStamp is of
	stamped   uint64 // timestamps of the latest payload that was looked at: see flows; valid with options
	stamps    stamps
	Counters

	inflight  flights
	sacked    seq.Set[seq.SSN] // above una; bounded by maxSACKed
	lastBlock packet.SACKBlock // the latest first SACK block that reported no duplicate, to tell repetitions
	sackStamp uint32           // greatest timestamp of an ACK with SACK blocks, to tell overtaken ones; 0 = none yet
	RTT       Estimator        // acknowledgment-based, at the capture point (METRICS: rtt rules 1-4)
	Loss      Loss
	holes     holes

	fin      seq.SSN // position of the FIN; valid with finSeen
	peak     int64   // latest time of a packet that one with an earlier time followed, ns; 0 = none
	patience int64   // how long after a hole opened this packet may fill it as a reordered one, ns; 0 = no round trip known
	tally    tally
}

// maxSACKed bounds the ranges of the SACK scoreboard. At the bound the oldest
// are forgotten, so that a hostile capture costs accuracy and never memory.
const maxSACKed = 4096

// ISN returns the initial sequence number and whether a SYN told it.
func (h *Sender) ISN() (seq.Wire, bool) { return h.isn, h.syn }

// MSS returns the segment size that the other end's SYN allows, 0 if none was
// captured or it had no MSS option.
func (h *Sender) MSS() int { return int(h.mss) }

// WScale returns the shift of this end's windows, and whether its SYN was
// captured and offered one.
func (h *Sender) WScale() (shift uint8, ok bool) { return h.wscale, h.hasWScale }

// SACKPermitted reports whether this end's SYN offered SACK.
func (h *Sender) SACKPermitted() bool { return h.sackOK }

// Timestamps reports whether this end's SYN, or in its absence its packets,
// carried TCP timestamps.
func (h *Sender) Timestamps() bool { return h.hasTS }

// SndUna returns the position below which everything was acknowledged.
func (h *Sender) SndUna() seq.SSN { return h.una }

// SndNxt returns the end of what was sent.
func (h *Sender) SndNxt() seq.SSN { return h.nxt }

// InFlight returns the octets sent and not acknowledged cumulatively.
func (h *Sender) InFlight() int64 { return int64(h.nxt - h.una) }

// FIN returns the position of the FIN and whether one was sent.
func (h *Sender) FIN() (seq.SSN, bool) { return h.fin, h.finSeen }

// FINAcked reports whether the FIN was sent and acknowledged.
func (h *Sender) FINAcked() bool { return h.finSeen && h.una > h.fin }

// Last returns the time of the latest packet, strays left out, ns; 0 where there
// is none.
func (h *Sender) Last() int64 { return max(h.peak, h.latest) }

// dataEnd returns the end of the payload sent: [Sender.Next] without the FIN.
func (h *Sender) dataEnd() seq.SSN {
	if h.finSeen && h.fin == h.nxt-1 {
		return h.fin
	}
	return h.nxt
}

// SegmentBytes returns the octets of payload that the latest packet of this
// direction would count as one segment.
func (h *Sender) SegmentBytes() int64 { return max(1, h.unit) }

// units returns how many segments n octets are.
func (h *Sender) units(n int64) int64 { return units(n, h.SegmentBytes()) }

// ssn returns the position of a sequence number of this direction.
func (h *Sender) ssn(w seq.Wire) seq.SSN { return seq.Unwrap(w, h.isn, h.nxt) }

// isFar reports whether p lies too far from the end of the stream for a packet
// of this connection.
func (h *Sender) isFar(p seq.SSN) bool { return uint64(p-h.nxt+farAway) > 2*farAway }

// near returns the position of a sequence number, and whether it is not far
// from the end of the stream.
func (h *Sender) near(w seq.Wire) (p seq.SSN, ok bool) {
	d := int32(uint32(w-h.isn) - uint32(h.nxt))
	return h.nxt + seq.SSN(d), uint32(d)+farAway <= 2*farAway
}

// begin fixes the origin of the positions at the first packet that tells one,
// which is not a SYN: that packet's first octet gets position 1.
func (h *Sender) begin(isn seq.Wire) {
	h.isn, h.open = isn, true
	h.nxt, h.una = 1, 1
}

// restart forgets all positions: the origin that was assumed, or that a SYN
// told which nobody acknowledged, was not the connection's.
func (h *Sender) restart() {
	h.nxt, h.una, h.fin, h.finSeen = 0, 0, 0, false
	h.inflight, h.sacked, h.holes = flights{}, seq.Set[seq.SSN]{}, holes{}
	h.Loss.restart()
}

// Rebase declares that the stream's true initial sequence number is isn and
// not the one assumed from its first packet. It returns how far all positions
// move; those given out before must be moved by their holders.
func (h *Sender) Rebase(isn seq.Wire) (delta seq.SSN) {
	delta = -seq.SSN(isn.Sub(h.isn))
	h.isn = isn
	h.nxt += delta
	h.una += delta
	h.fin += delta
	h.inflight.shift(delta)
	h.sacked.Shift(delta)
	h.holes.shift(delta)
	h.Loss.shift(delta)
	h.syn = true
	return delta
}
