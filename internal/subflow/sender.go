package subflow

import (
	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// DefaultMSS is the MSS assumed where the peer's SYN was not captured or has no MSS
// option: that of IPv4 over Ethernet. RFC 9293, Section 3.7.1 says 536, but no path uses
// that today.
const DefaultMSS = 1460

// maxWindow is how far a sequence number may lie from SND.NXT before the packet is
// taken for a stray: no window is larger (RFC 7323, Section 2.3).
const maxWindow = 1 << 30

// Sender is the state of one direction of a subflow: what one end sends, and what the
// other end's acknowledgments say about it.
type Sender struct {
	// The fields that every packet of either end needs come first, and with them the
	// counters of the fast path, so that they lie in two cache lines.
	isn            seq.Wire
	window         uint16 // latest advertised, not scaled; valid with hasWindow
	hasWindow      bool
	sndNxt         seq.SSN // end of what was sent (SND.NXT)
	sndUna         seq.SSN // everything below is acknowledged (SND.UNA)
	lastTime       int64   // time of the previous packet, ns
	segBytes       int64   // size of a full segment beside the options of the latest payload, bytes
	lastTSEcr      uint32  // greatest TSecr on payload of this direction
	mss            uint16  // what the other end accepts; 0 = not told
	segHeaderLen   uint8   // length of the TCP header that segBytes is for; 0 = the next payload has something new: see isLikeLast
	hasTSEcr       bool
	echoes         bool // payload of this direction echoed more than one timestamp
	started        bool // isn is known, from a SYN or from the first packet
	isnFromSYN     bool // from a SYN: SSNs are the true ones
	opened         bool // the latest SYN was no SYN/ACK
	finSeen        bool
	hasTS          bool
	hasWScale      bool
	sackOK         bool
	synCut         bool   // the capture cut options of this end's SYN off
	peerNoSACK     bool   // the other end's SYN did not offer SACK
	wscale         uint8  // shift of this end's windows
	latestSACKIPID uint16 // IP identification of the packet with latestSACKTSval
	lastTimestamps uint64 // timestamps of the latest payload that noteChange or measureSegment took; valid with segHeaderLen
	missedUntil    int64  // end of the latest time for which packets are missing from the capture, ns: see MissedUntil
	latestNew      Stamp  // the latest payload above all before it, or the SYN
	timestamps     timestamps
	Counters
	Probing Probes

	rtxQueue        rtxQueue
	sacked          seq.Set[seq.SSN] // above SND.UNA; bounded by maxSACKed
	lastSACKBlock   packet.SACKBlock // the latest first SACK block that was no DSACK, to recognise repetitions
	latestSACKTSval uint32           // greatest timestamp of an ACK with SACK blocks, to recognise overtaken ones; 0 = none yet
	RTT             Estimator        // from acknowledgments, at the place of the capture
	Loss            Loss
	Largest         int64 // size of the largest segment that was acknowledged or SACKed, bytes of payload
	holes           holes

	fin         seq.SSN // position of the FIN; valid with finSeen
	latestTime  int64   // latest time of a packet that a packet with an earlier time followed, ns; 0 = none
	reorderWait int64   // how long after a hole opened reordering may fill it, ns; 0 = no round trip known
	tally       tally
}

// maxSACKed bounds the ranges of the SACK scoreboard. At the bound the oldest are
// dropped, so that a hostile capture costs accuracy and not memory.
const maxSACKed = 4096

// ISN returns the initial sequence number and whether a SYN told it.
func (snd *Sender) ISN() (seq.Wire, bool) { return snd.isn, snd.isnFromSYN }

// MSS returns the MSS option of the other end's SYN; 0 if none was captured.
func (snd *Sender) MSS() int { return int(snd.mss) }

// WScale returns the window scale of this end, and whether its SYN was captured and
// offered one.
func (snd *Sender) WScale() (shift uint8, ok bool) { return snd.wscale, snd.hasWScale }

// SACKPermitted reports whether this end's SYN offered SACK.
func (snd *Sender) SACKPermitted() bool { return snd.sackOK }

// SYNCut reports whether the capture cut options of this end's SYN off.
func (snd *Sender) SYNCut() bool { return snd.synCut }

// ShowsOffers reports whether this end's SYN was captured with all its options. Only then did it
// not offer what it does not show.
func (snd *Sender) ShowsOffers() bool { return snd.SYNs > 0 && !snd.synCut }

// RefusesSACK reports whether this end's SYN did not offer SACK.
func (snd *Sender) RefusesSACK() bool { return snd.ShowsOffers() && !snd.sackOK }

// Timestamps reports whether this end's SYN carried TCP timestamps, or its packets
// where no SYN was captured.
func (snd *Sender) Timestamps() bool { return snd.hasTS }

// SndUna returns SND.UNA: everything below is acknowledged.
func (snd *Sender) SndUna() seq.SSN { return snd.sndUna }

// SndNxt returns SND.NXT: the end of what was sent.
func (snd *Sender) SndNxt() seq.SSN { return snd.sndNxt }

// InFlight returns the bytes sent and not acknowledged cumulatively.
func (snd *Sender) InFlight() int64 { return int64(snd.sndNxt - snd.sndUna) }

// FIN returns the position of the FIN and whether one was sent.
func (snd *Sender) FIN() (seq.SSN, bool) { return snd.fin, snd.finSeen }

// FINAcked reports whether the FIN was sent and acknowledged.
func (snd *Sender) FINAcked() bool { return snd.finSeen && snd.sndUna > snd.fin }

// Last returns the time of the latest packet that is no stray, ns; 0 where there is
// none.
func (snd *Sender) Last() int64 { return max(snd.latestTime, snd.lastTime) }

// dataEnd returns the end of the payload sent: SND.NXT without the FIN.
func (snd *Sender) dataEnd() seq.SSN {
	if snd.finSeen && snd.fin == snd.sndNxt-1 {
		return snd.fin
	}
	return snd.sndNxt
}

// SegmentBytes returns the size of a full segment beside the options of the latest
// payload, bytes.
func (snd *Sender) SegmentBytes() int64 { return max(1, snd.segBytes) }

// segmentsIn returns how many full segments n bytes take.
func (snd *Sender) segmentsIn(n int64) int64 { return segments(n, snd.SegmentBytes()) }

// ssn returns the position of a sequence number of this direction.
func (snd *Sender) ssn(w seq.Wire) seq.SSN { return seq.Unwrap(w, snd.isn, snd.sndNxt) }

// isStray reports whether p is too far from SND.NXT for a packet of this connection.
func (snd *Sender) isStray(p seq.SSN) bool { return uint64(p-snd.sndNxt+maxWindow) > 2*maxWindow }

// nearPosition returns the position of a sequence number; ok is false for a stray.
func (snd *Sender) nearPosition(w seq.Wire) (p seq.SSN, ok bool) {
	d := int32(uint32(w-snd.isn) - uint32(snd.sndNxt))
	return snd.sndNxt + seq.SSN(d), uint32(d)+maxWindow <= 2*maxWindow
}

// start sets the origin of the positions from the first packet, which is no SYN: its
// first byte gets position 1.
func (snd *Sender) start(isn seq.Wire) {
	snd.isn, snd.started = isn, true
	snd.sndNxt, snd.sndUna = 1, 1
}

// forgetPositions forgets all positions, because their origin was wrong for this
// connection: it was assumed, or it came from a SYN that was not acknowledged.
func (snd *Sender) forgetPositions() {
	snd.sndNxt, snd.sndUna, snd.fin, snd.finSeen = 0, 0, 0, false
	snd.rtxQueue, snd.sacked, snd.holes = rtxQueue{}, seq.Set[seq.SSN]{}, holes{}
	snd.Loss.restart()
}

// Rebase sets the stream's true initial sequence number, after another one was assumed.
// It returns how far all positions move. Callers must move the positions that they
// keep.
func (snd *Sender) Rebase(isn seq.Wire) (delta seq.SSN) {
	delta = -seq.SSN(isn.Sub(snd.isn))
	snd.isn = isn
	snd.sndNxt += delta
	snd.sndUna += delta
	snd.fin += delta
	snd.rtxQueue.shift(delta)
	snd.sacked.Shift(delta)
	snd.holes.shift(delta)
	snd.Loss.shift(delta)
	snd.isnFromSYN = true
	return delta
}
